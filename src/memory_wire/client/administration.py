"""What administrators do, as typed methods; surface.py inherits them.

Every call needs the right `admin`, which a store opened here and a server that asks nobody for a key give.
"""

from __future__ import annotations

import msgspec

from memory_wire import background as b
from memory_wire import embedding as e
from memory_wire import grants as g
from memory_wire import integrations as i
from memory_wire import sessions as s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Administration:
    """`account` is the caller's own unless named; only who runs the store may name another. Raises Forbidden, UnknownName, Invalid."""

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        """The response Struct of one operation of the table."""
        raise NotImplementedError

    def audit(
        self,
        *,
        since: str | None = None,
        actor: str | None = None,
        kind: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> g.AuditLog:
        """What was done by whom, oldest first; the answer's cursor gives the next page."""
        answer: g.AuditLog = self.call("audit", g.Audit(since=since, actor=actor, kind=kind, limit=limit, cursor=cursor))
        return answer

    def verify_audit(self, head: str | None = None) -> g.AuditVerdict:
        """Whether the log is whole, and still has a chain that was noted before."""
        answer: g.AuditVerdict = self.call("verify_audit", g.VerifyAudit(head=head))
        return answer

    def projects(self, *, account: str | None = None) -> g.Projects:
        """The projects by name."""
        answer: g.Projects = self.call("projects", g.OfAccount(account=account))
        return answer

    def create_project(self, name: str, *, account: str | None = None) -> g.ProjectRow:
        """Makes a project. Raises NameTaken."""
        answer: g.ProjectRow = self.call("create_project", g.CreateProject(name=name, account=account))
        return answer

    def keys(self, *, account: str | None = None) -> g.Keys:
        """The keys, without their secrets."""
        answer: g.Keys = self.call("keys", g.OfAccount(account=account))
        return answer

    def create_key(
        self,
        label: str,
        *,
        rights: str = "write",
        project: str | None = None,
        member: str | None = None,
        days: int | None = None,
        account: str | None = None,
    ) -> g.NewKey:
        """Makes a key; the answer is the only place where it stands."""
        request = g.CreateKey(label=label, rights=rights, project=project, member=member, days=days, account=account)
        answer: g.NewKey = self.call("create_key", request)
        return answer

    def revoke_key(self, id: str) -> bool:
        """Ends a key at once; False for one that is unknown or ended already."""
        answer: g.Revoked = self.call("revoke_key", g.RevokeKey(id=id))
        return answer.revoked

    def accounts(self, *, account: str | None = None) -> g.Accounts:
        """Accounts with their states and limits."""
        answer: g.Accounts = self.call("accounts", g.OfAccount(account=account))
        return answer

    def set_account(
        self, name: str, *, state: str | None = None, records: int | None = None, calls_per_minute: int | None = None
    ) -> g.AccountRow:
        """Makes an account, or changes what is given; a limit of 0 takes the limit away."""
        request = g.SetAccount(name=name, state=state, records=records, calls_per_minute=calls_per_minute)
        answer: g.AccountRow = self.call("set_account", request)
        return answer

    def members(self, *, account: str | None = None) -> g.Members:
        """The members by name, with their roles."""
        answer: g.Members = self.call("members", g.OfAccount(account=account))
        return answer

    def set_member(
        self,
        name: str,
        *,
        email: str | None = None,
        unit: str | None = None,
        role: str | None = None,
        days: int | None = None,
        account: str | None = None,
    ) -> g.MemberRow:
        """Makes a member, or gives one a role in a unit."""
        request = g.SetMember(name=name, email=email, unit=unit, role=role, days=days, account=account)
        answer: g.MemberRow = self.call("set_member", request)
        return answer

    def depart(self, name: str, *, heir: str | None = None, account: str | None = None) -> g.MemberRow:
        """Lets a member go: their keys end at once, their records are the heir's."""
        answer: g.MemberRow = self.call("depart", g.Depart(name=name, heir=heir, account=account))
        return answer

    def integrations(self, *, project: str | None = None, account: str | None = None) -> i.Integrations:
        """The project's integrations by name, without their secrets."""
        answer: i.Integrations = self.call("integrations", i.ListIntegrations(project=project, account=account))
        return answer

    def set_integration(self, name: str, url: str, **how: Any) -> i.IntegrationRow:
        """Allows the project's agents to call a server; `how` are the further fields of `integrations.SetIntegration`."""
        answer: i.IntegrationRow = self.call("set_integration", i.SetIntegration(name=name, url=url, **how))
        return answer

    def remove_integration(self, name: str, *, project: str | None = None, account: str | None = None) -> bool:
        """Allows it no longer; False when it was not there."""
        request = i.RemoveIntegration(name=name, project=project, account=account)
        answer: i.IntegrationRemoved = self.call("remove_integration", request)
        return answer.removed

    def put_session(self, id: str, host: str, offset: int, upto: int, lines: list[s.SessionLine]) -> s.SessionRow:
        """Adds what a session's file holds from an offset on. Raises Invalid, OffsetMismatch, SessionQuota."""
        answer: s.SessionRow = self.call("put_session", s.PutSession(id=id, host=host, offset=offset, upto=upto, lines=lines))
        return answer

    def session(self, id: str) -> s.SessionRow:
        """How far a session was uploaded. Raises UnknownSession."""
        answer: s.SessionRow = self.call("session", s.OfSession(id=id))
        return answer

    def session_lines(self, id: str, *, limit: int | None = None, offset: int | None = None) -> s.SessionLines:
        """What was said in a session. Raises UnknownSession, Invalid."""
        answer: s.SessionLines = self.call("session_lines", s.ReadSession(id=id, limit=limit, offset=offset))
        return answer

    def sessions(self, *, limit: int | None = None, offset: int | None = None) -> s.Sessions:
        """The uploaded sessions of the project, last changed first. Raises Invalid."""
        answer: s.Sessions = self.call("sessions", s.ListSessions(limit=limit, offset=offset))
        return answer

    def delete_session(self, id: str) -> bool:
        """Deletes a session; False when it was not there."""
        answer: s.SessionDeleted = self.call("delete_session", s.OfSession(id=id))
        return answer.deleted

    def run_embedding(
        self, *, dry_run: bool = False, price: float | None = None, limit: int | None = None, bank: str | None = None
    ) -> e.EmbeddingRun:
        """Has the bank's embedder make the vectors that are missing, or counts them. Raises UnknownBank, Invalid, OutsideFailed."""
        answer: e.EmbeddingRun = self.call("run_embedding", e.RunEmbedding(dry_run=dry_run, price=price, limit=limit), bank)
        return answer

    def verify_embedding(self, *, sample: int = 8, bank: str | None = None) -> e.EmbeddingProof:
        """Compares the bank's vectors with its texts, and a sample with the model. Raises UnknownBank, Invalid, OutsideFailed."""
        answer: e.EmbeddingProof = self.call("verify_embedding", e.VerifyEmbedding(sample=sample), bank)
        return answer

    def units(self, *, account: str | None = None) -> g.Units:
        """The units of the organisation."""
        answer: g.Units = self.call("units", g.OfAccount(account=account))
        return answer

    def create_unit(self, name: str, *, level: str = "unit", parent: str | None = None, account: str | None = None) -> g.UnitRow:
        """Makes a unit, part of another one or of none. Raises NameTaken."""
        answer: g.UnitRow = self.call("create_unit", g.CreateUnit(name=name, level=level, parent=parent, account=account))
        return answer

    def jobs(self) -> b.JobList:
        """What waits to be done in the background, and what was given up."""
        answer: b.JobList = self.call("jobs", b.ListJobs())
        return answer

    def run_jobs(self, *, retry: bool = False) -> b.JobList:
        """Does now what waits; `retry`: also what was given up. The answer is what is left."""
        answer: b.JobList = self.call("run_jobs", b.RunJobs(retry=retry))
        return answer
