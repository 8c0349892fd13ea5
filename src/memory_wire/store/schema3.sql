-- Version 3: records asked by fact, by what was observed of a source, and what of them stands at the start of a session.

DROP INDEX record_fact;
CREATE INDEX record_fact ON record (bank, fact, unit, sameness) WHERE fact IS NOT NULL AND forgotten_how IS NULL;
CREATE INDEX record_pinned ON record (bank, unit) WHERE pinned = 1 AND forgotten_how IS NULL;
CREATE INDEX record_supersedes ON record (supersedes) WHERE supersedes IS NOT NULL AND forgotten_how IS NULL;
CREATE INDEX idempotency_created ON idempotency (created);
CREATE INDEX record_live ON record (bank, visibility, forgotten_how) WHERE forgotten_how IS NULL;
CREATE UNIQUE INDEX project_name ON project (name);  -- one of another account is named account/project
CREATE INDEX audit_at ON audit (at);
CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_holds BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
