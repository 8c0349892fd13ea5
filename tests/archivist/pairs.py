"""Pairs of engineering records, an older and a newer one, with how the newer stands to the older. Labels are a reader's, not the program's.

The rules were made looking at `DEV`, `HELD_OUT` and `LATER` (longer texts, and pairs that look like a conflict and are none). `FRESH` was
written when they stood, and none was changed for it since.
"""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """`label`: what the newer record does to the older one; `unrelated`: there should be no link at all."""

    label: str
    older: str
    newer: str


DEV = (
    Pair("contradicts", "The ingest worker retries a failed batch 3 times.", "The ingest worker retries a failed batch 5 times."),
    Pair("contradicts", "Session cookies expire after 30 minutes of inactivity.", "Session cookies expire after 12 hours of inactivity."),
    Pair("contradicts", "The billing API listens on port 8443.", "The billing API listens on port 9443."),
    Pair("contradicts", "Feature flags are enabled by default in staging.", "Feature flags are disabled by default in staging."),
    Pair(
        "contradicts",
        "The audit exporter may run while the ledger is locked.",
        "The audit exporter must not run while the ledger is locked.",
    ),
    Pair("contradicts", "Thumbnails are stored in the public bucket.", "Thumbnails are stored in the private bucket."),
    Pair(
        "contradicts",
        "Nightly backups of the orders database are kept for 14 days.",
        "Nightly backups of the orders database are kept for 35 days.",
    ),
    Pair("contradicts", "The search cluster requires TLS between its nodes.", "The search cluster does not require TLS between its nodes."),
    Pair("outdates", "The CI runners use Ubuntu 20.04 images.", "The CI runners now use Ubuntu 24.04 images."),
    Pair(
        "outdates",
        "Container images are pushed to the Harbor registry.",
        "Container images are no longer pushed to the Harbor registry; they go to ECR.",
    ),
    Pair(
        "outdates",
        "The notification service sends mail through Mailgun.",
        "The notification service has switched from Mailgun to Postmark.",
    ),
    Pair(
        "outdates",
        "Schema migrations run in the deploy job.",
        "Schema migrations have moved from the deploy job into a separate pipeline step.",
    ),
    Pair("outdates", "Metrics are scraped every 60 seconds.", "Since the incident metrics are now scraped every 15 seconds."),
    Pair("outdates", "The mobile app talks to the v1 gateway.", "The v1 gateway is retired; the mobile app talks to the v2 gateway now."),
    Pair("outdates", "Login tokens are signed with RS256.", "Login tokens are now signed with EdDSA instead of RS256."),
    Pair("outdates", "The team uses Yarn for the dashboard frontend.", "The dashboard frontend migrated from Yarn to pnpm."),
    Pair(
        "refines",
        "The image resizer runs as a Lambda function.",
        "The image resizer runs as a Lambda function with 512 MB of memory and writes WebP files to the media bucket.",
    ),
    Pair(
        "refines",
        "Invoices are rendered to PDF by the document service.",
        "Invoices are rendered to PDF by the document service, which queues them in RabbitMQ and stores the result for ten years.",
    ),
    Pair(
        "refines",
        "Rate limits apply per API key.",
        "Rate limits apply per API key: a token bucket of 100 requests, refilled every second, kept in Redis.",
    ),
    Pair(
        "refines",
        "The warehouse sync reads from the replica.",
        "The warehouse sync reads from the replica in eu-west-1 and pauses when replication lag grows.",
    ),
    Pair(
        "refines",
        "Passwords are hashed with argon2id.",
        "Passwords are hashed with argon2id using 64 MiB of memory and three passes, tuned on the login hosts.",
    ),
    Pair(
        "refines",
        "Webhooks are delivered at least once.",
        "Webhooks are delivered at least once; receivers deduplicate by the delivery id header.",
    ),
    Pair(
        "refines",
        "The scheduler elects a leader through etcd.",
        "The scheduler elects a leader through etcd with a lease that the holder renews from a dedicated goroutine.",
    ),
    Pair(
        "refines",
        "Customer exports are encrypted.",
        "Customer exports are encrypted with the customer's own KMS key before they reach the sftp host.",
    ),
    Pair(
        "related",
        "The geocoder caches Nominatim answers for addresses.",
        "Nominatim rejects the geocoder when it sends more than one query at once.",
    ),
    Pair(
        "related",
        "Kafka topic shipment-events has twelve partitions.",
        "The consumer group of shipment-events rebalances slowly after a Kafka broker restart.",
    ),
    Pair(
        "related",
        "The Terraform state lives in an S3 bucket with locking through DynamoDB.",
        "A stale DynamoDB lock blocked Terraform during the region failover.",
    ),
    Pair(
        "related",
        "Grafana dashboards are generated from jsonnet in the observability repository.",
        "Alert thresholds in Grafana are reviewed with the jsonnet sources every quarter.",
    ),
    Pair(
        "related",
        "Celery workers of the pricing engine leak memory with large catalogues.",
        "The pricing engine profiles catalogues with a sampling profiler before each Celery release.",
    ),
    Pair(
        "related",
        "The OAuth callback of the partner portal checks the state parameter.",
        "Partner portal users report OAuth login loops in Safari.",
    ),
    Pair(
        "related",
        "Elasticsearch snapshots of the catalogue index go to Glacier.",
        "Restoring a catalogue index from an Elasticsearch snapshot took four hours in the drill.",
    ),
    Pair(
        "related",
        "The zookeeper ensemble coordinates the Solr shards.",
        "Solr shards were split after the zookeeper ensemble reported slow fsyncs.",
    ),
    Pair("unrelated", "The release train leaves on Tuesdays at ten.", "Protobuf messages of the tracker carry a schema version field."),
    Pair("unrelated", "Pull requests need two approvals.", "The heat pump firmware polls its sensors over Modbus."),
    Pair("unrelated", "The docs site is built with Sphinx.", "Refunds above 500 euros need a second pair of eyes."),
    Pair("unrelated", "The parser keeps a symbol table per translation unit.", "The office printer needs the old driver."),
    Pair("unrelated", "Retries use exponential back-off with jitter.", "The table of colours in the theme follows the brand guide."),
    Pair("unrelated", "The service returns 404 for unknown tenants.", "The worker process drops privileges after binding its socket."),
    Pair("unrelated", "Unit tests of the scheduler must finish within a minute.", "The contract with the courier ends in March."),
    Pair("unrelated", "Log lines are JSON with one object per line.", "Sentry samples a tenth of all browser sessions."),
    Pair(
        "supports",
        "Database connections go through PgBouncer in transaction mode.",
        "In transaction mode, database connections go through PgBouncer.",
    ),
    Pair("supports", "Uploads larger than 5 GB are refused by the edge proxy.", "The edge proxy refuses uploads larger than 5 GB."),
)

HELD_OUT = (
    Pair("contradicts", "The vector index is rebuilt every 6 hours.", "The vector index is rebuilt every 24 hours."),
    Pair("contradicts", "Preview environments are deleted after 7 days.", "Preview environments are deleted after 2 days."),
    Pair(
        "contradicts",
        "The payment gateway validates card numbers before tokenising them.",
        "The payment gateway validates card numbers after tokenising them.",
    ),
    Pair("contradicts", "Workers acknowledge messages before processing.", "Workers never acknowledge messages before processing."),
    Pair(
        "contradicts",
        "The admin console is reachable from the office network only and needs a hardware key.",
        "The admin console does not need a hardware key on the office network.",
    ),
    Pair("contradicts", "The maximum upload size of the wiki is 25 MB.", "The maximum upload size of the wiki is 100 MB."),
    Pair(
        "contradicts",
        "Commit signing is required on the infrastructure repository.",
        "Commit signing is optional on the infrastructure repository.",
    ),
    Pair(
        "contradicts",
        "The cache of the storefront is synchronous with its database.",
        "The cache of the storefront is asynchronous with its database.",
    ),
    Pair(
        "outdates",
        "Python 3.9 is the oldest supported interpreter of the SDK.",
        "The SDK dropped Python 3.9; the oldest supported interpreter is now 3.11.",
    ),
    Pair("outdates", "Secrets of the cluster are kept in SealedSecrets.", "Secrets of the cluster moved from SealedSecrets to Vault."),
    Pair(
        "outdates",
        "The loyalty team owns the coupon service.",
        "The coupon service is now owned by the checkout team instead of the loyalty team.",
    ),
    Pair("outdates", "The status page is hosted on Heroku.", "The status page was migrated away from Heroku and runs on Fly."),
    Pair(
        "outdates",
        "The crawler identifies itself as acmebot/1.",
        "The crawler has been renamed: it identifies itself as acme-fetch, not as acmebot/1.",
    ),
    Pair("outdates", "Traces are sampled at one percent.", "Traces are no longer sampled at one percent; tail sampling keeps all errors."),
    Pair(
        "outdates",
        "The report generator calls the legacy SOAP endpoint.",
        "The legacy SOAP endpoint is deprecated; the report generator calls the REST endpoint.",
    ),
    Pair(
        "outdates",
        "Deploys to production need a change ticket.",
        "Deploys to production previously needed a change ticket; since May an approved pull request is enough.",
    ),
    Pair(
        "refines",
        "The mail archive is searchable.",
        "The mail archive is searchable by sender, subject and date, with results limited to the last five years.",
    ),
    Pair(
        "refines",
        "Telemetry is batched on the device.",
        "Telemetry is batched on the device for ten minutes or 64 KiB, then compressed with zstd.",
    ),
    Pair(
        "refines",
        "The matching engine writes a journal.",
        "The matching engine writes a journal to a battery-backed disk and replays it at start before it accepts orders.",
    ),
    Pair(
        "refines",
        "The gateway terminates TLS.",
        "The gateway terminates TLS with certificates from the internal CA and renews them through ACME.",
    ),
    Pair(
        "refines",
        "Failed imports are moved to the quarantine folder.",
        "Failed imports are moved to the quarantine folder, with the parser's message beside them, and an operator is paged.",
    ),
    Pair(
        "refines",
        "The recommendation model is retrained weekly.",
        "The recommendation model is retrained weekly on clicks of the last quarter, and rolled out after a shadow run.",
    ),
    Pair("refines", "Geo queries use an R-tree.", "Geo queries use an R-tree over hexagon centroids, bulk loaded by Hilbert order."),
    Pair(
        "refines",
        "The feature store is read through a gRPC service.",
        "The feature store is read through a gRPC service that hedges slow requests to a second replica.",
    ),
    Pair(
        "related",
        "RocksDB compaction stalls the inventory service under heavy writes.",
        "The inventory service tunes RocksDB block cache by hand.",
    ),
    Pair(
        "related",
        "Envoy sidecars add two milliseconds to calls of the quote service.",
        "The quote service's Envoy sidecars run out of file descriptors.",
    ),
    Pair(
        "related",
        "Airflow triggers the churn pipeline each morning.",
        "The churn pipeline's Airflow sensors time out when the warehouse is slow.",
    ),
    Pair(
        "related", "The firmware updater verifies an Ed25519 signature.", "Rollbacks of the firmware updater erase the second flash bank."
    ),
    Pair("related", "Keycloak realms are exported to git.", "A broken Keycloak realm import locked out contractors."),
    Pair(
        "related",
        "The invoice matcher uses trigram similarity for supplier names.",
        "Supplier names with umlauts confuse the invoice matcher's OCR step.",
    ),
    Pair(
        "related",
        "NATS JetStream buffers vehicle positions.",
        "Vehicle positions older than a minute are useless to dispatchers, so JetStream discards them.",
    ),
    Pair(
        "related",
        "Pagination of the contacts endpoint uses opaque cursors.",
        "The contacts endpoint returns duplicates when a cursor outlives a reindex.",
    ),
    Pair("unrelated", "The build cache is shared between branches.", "Fonts are subset before they are shipped to kiosks."),
    Pair("unrelated", "On-call shifts change on Mondays.", "The decoder rejects frames with a bad checksum."),
    Pair("unrelated", "The parser accepts trailing commas.", "Tenants are provisioned by the onboarding bot."),
    Pair("unrelated", "Locks are taken in alphabetical order of their names.", "The survey form is translated by volunteers."),
    Pair("unrelated", "The client reconnects with a random delay.", "The ledger rounds half to even."),
    Pair("unrelated", "The service runs on three nodes.", "The archive runs on tape."),
    Pair("unrelated", "Every request carries a trace id.", "Every commit needs a changelog line."),
    Pair("unrelated", "The API returns amounts in cents.", "The API team meets on Thursdays."),
    Pair(
        "supports",
        "Timestamps in the event log are UTC with millisecond precision.",
        "The event log has timestamps in UTC, with millisecond precision.",
    ),
    Pair(
        "supports",
        "The proxy strips hop-by-hop headers from upstream responses.",
        "Hop-by-hop headers are stripped from upstream responses by the proxy.",
    ),
)

LATER = (
    Pair(
        "related",
        "Incident 4711: an expired certificate on the edge proxy took checkout down for 40 minutes.",
        "Incident 4802: an expired certificate on the mail relay held back receipts for 3 hours.",
    ),
    Pair("related", "Release 1.4 of the SDK fixes the retry loop.", "Release 1.5 of the SDK fixes the upload progress bar."),
    Pair("related", "The export worker has 8 threads.", "The export worker was restarted 3 times on Friday."),
    Pair(
        "related",
        "Service accounts of the analytics cluster rotate their keys every 90 days.",
        "Service accounts of the build cluster rotate their keys every 30 days.",
    ),
    Pair("related", "The order service depends on Redis.", "The order service depends on Kafka."),
    Pair("related", "The European shard of the ledger has 12 replicas.", "The American shard of the ledger has 9 replicas."),
    Pair(
        "related",
        "Load test of the booking API: 1,200 requests per second with a p99 of 180 ms on two nodes.",
        "Load test of the pricing API: 700 requests per second with a p99 of 95 ms on two nodes.",
    ),
    Pair(
        "related",
        "Alice reviews changes of the tokenizer before they are merged.",
        "The tokenizer has not been fuzzed since its rewrite; Alice filed a ticket.",
    ),
    Pair("related", "Backups of the wiki are encrypted.", "Backups of the wiki were not restored in the last drill."),
    Pair(
        "related",
        "To roll back the recommender, pin the previous model id in the registry.",
        "The recommender's model registry is replicated to the second site, now also for staging.",
    ),
    Pair(
        "contradicts",
        "We decided that uploads are scanned for viruses before they are stored. The scanner runs in the upload path.",
        "Uploads are scanned for viruses after they are stored; the scanner reads from the bucket.",
    ),
    Pair(
        "contradicts",
        "The rate limit of the public API is 100 requests per minute.",
        "Rate limit of the public API: 60 requests per minute.",
    ),
    Pair("contradicts", "The primary database of the CRM is PostgreSQL.", "The primary database of the CRM is MySQL."),
    Pair("contradicts", "Cron jobs of the reporting host run in UTC.", "Cron jobs of the reporting host run in local time, not in UTC."),
    Pair(
        "contradicts",
        "The mobile client caches the catalogue for one hour.",
        "The mobile client must never cache the catalogue.",
    ),
    Pair(
        "contradicts",
        "Artifacts older than 30 days are deleted from the build server.",
        "The build server deletes artifacts older than 90 days.",
    ),
    Pair(
        "outdates",
        "Dependency updates are opened by Dependabot every Monday. The platform team merges them after the smoke tests.",
        "We replaced Dependabot with Renovate; dependency updates are grouped and opened every night.",
    ),
    Pair(
        "outdates",
        "The import of supplier price lists is triggered by hand.",
        "Since version 8 supplier price lists are imported automatically.",
    ),
    Pair("outdates", "The log retention of the firewall is 30 days.", "As of January the log retention of the firewall is 180 days."),
    Pair(
        "outdates",
        "Feature branches are squashed when they are merged.",
        "We stopped squashing feature branches: they are merged with a merge commit.",
    ),
    Pair("outdates", "The design system lives in the web repository.", "The design system has its own repository now."),
    Pair("outdates", "Maria is on call for the ingestion pipeline.", "Jonas took over on-call for the ingestion pipeline from Maria."),
    Pair(
        "refines",
        "The dead letter queue of the mailer is drained by hand.",
        "The dead letter queue of the mailer is drained by hand: run the drain script on the bastion, look at the first ten messages, and"
        " never requeue messages that bounced twice.",
    ),
    Pair(
        "refines",
        "Access to production needs a second factor.",
        "Access to production needs a second factor; TOTP is not accepted, only FIDO2 keys are.",
    ),
    Pair(
        "refines",
        "The sensor gateway buffers readings when the uplink is down.",
        "When the uplink is down the sensor gateway buffers readings in a ring file of 64 MiB and drops the oldest first.",
    ),
    Pair(
        "refines",
        "Slow queries are logged.",
        "Queries slower than 250 ms are logged with their plan, at most one per minute and fingerprint.",
    ),
    Pair(
        "refines",
        "The checksum of a chunk covers its header.",
        "The checksum of a chunk covers its header and payload, and is CRC-32C stored little-endian behind the payload.",
    ),
    Pair("supports", "Tenant ids must not appear in URLs.", "URLs must not contain tenant ids."),
    Pair("supports", "The watcher debounces file events by 300 ms.", "File events are debounced by 300 ms in the watcher."),
    Pair("unrelated", "The queue is bounded at 10 items.", "The report is limited to 25 pages."),
    Pair("unrelated", "Do not run migrations on Fridays.", "The cache must not be shared between tenants."),
    Pair("unrelated", "The API key of the weather provider expires in June.", "The cat door of the office opens at six."),
    Pair("unrelated", "Errors are reported to the user in plain words.", "User names are folded before they are compared."),
    Pair("unrelated", "Version 2 of the protocol adds compression.", "The compressor in the server room was replaced."),
    Pair("unrelated", "Tests run in parallel.", "Invoices are sent monthly."),
)

FRESH = (
    Pair(
        "contradicts",
        "Chunks of the document store are at most 512 tokens long.",
        "Chunks of the document store are at most 800 tokens long.",
    ),
    Pair(
        "contradicts",
        "Password reset links are valid for 15 minutes.",
        "Password reset links are valid for 24 hours.",
    ),
    Pair("contradicts", "The gRPC server accepts plaintext connections.", "The gRPC server does not accept plaintext connections."),
    Pair("contradicts", "The licence check is mandatory in offline mode.", "The licence check is not mandatory in offline mode."),
    Pair("contradicts", "Snapshots are taken before compaction.", "Snapshots are taken after compaction."),
    Pair(
        "contradicts",
        "The health probe fails after 3 missed heartbeats.",
        "The health probe fails after 10 missed heartbeats, about a minute.",
    ),
    Pair("outdates", "The ETL jobs are written in Scala.", "The ETL jobs were rewritten: they are in Rust now, no longer in Scala."),
    Pair("outdates", "Translations are managed in Crowdin.", "Translations moved from Crowdin to Weblate in spring."),
    Pair("outdates", "The embedder produces 384 dimensions.", "The embedder now produces 768 dimensions."),
    Pair(
        "outdates",
        "Support tickets are answered by the on-call engineer.",
        "Support tickets are no longer answered by the on-call engineer.",
    ),
    Pair("outdates", "The desktop app is built with Electron.", "The desktop app was ported to Tauri."),
    Pair(
        "outdates",
        "Staging is refreshed from production every Sunday.",
        "We changed how staging is refreshed: it is seeded with synthetic data.",
    ),
    Pair(
        "refines",
        "The planner prunes partitions.",
        "The planner prunes partitions by the min and max of each column chunk before it opens any file.",
    ),
    Pair("refines", "Idle workers are scaled down.", "Idle workers are scaled down to one per zone after ten minutes without a task."),
    Pair(
        "refines",
        "The linter runs before each commit.",
        "The linter runs before each commit through a hook that only looks at staged files.",
    ),
    Pair(
        "refines",
        "Audit events are immutable.",
        "Audit events are immutable: the table refuses updates, and every row carries a hash of the one before.",
    ),
    Pair(
        "supports",
        "The broker persists messages to disk before it acknowledges them.",
        "Before it acknowledges messages the broker persists them to disk.",
    ),
    Pair(
        "related",
        "The thumbnailer crashes on CMYK images.",
        "CMYK images are converted by the thumbnailer with the ICC profile of the press.",
    ),
    Pair(
        "related",
        "Ticket 812: the importer drops rows with an empty VAT number.",
        "Ticket 977: the importer rejects files with a byte order mark.",
    ),
    Pair("related", "Canary deploys of the matcher take 20 minutes.", "Canary deploys of the router take 45 minutes."),
    Pair("related", "The Oslo office has 2 uplinks.", "The Bergen office has 1 uplink."),
    Pair("related", "The matcher does not log personal data.", "The matcher logs the ids of both parties."),
    Pair(
        "related",
        "Prometheus keeps two weeks of samples of the turbine fleet.",
        "The turbine fleet reports vibration to Prometheus every second.",
    ),
    Pair("related", "The vendor's SDK leaks sockets on reconnect.", "The vendor's SDK must not be upgraded before the certification ends."),
    Pair("unrelated", "Mutexes are fair.", "The cafeteria closes at three."),
    Pair("unrelated", "The limit of open files is 4096.", "The limit for travel expenses is 4096 crowns."),
    Pair("unrelated", "Do not store tokens in local storage.", "Do not block the fire exit with pallets."),
    Pair("unrelated", "The index is enabled by default.", "The alarm is disabled at night."),
    Pair("unrelated", "The replica now serves reads.", "Visitors are now registered by the porter."),
    Pair("unrelated", "Rows are sorted by their key.", "Parcels are weighed at the gate."),
)
