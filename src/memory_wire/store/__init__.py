"""The record store: the truth. Everything else (postings, statistics) can be rebuilt from it.

    from memory_wire.store.sqlite import Store          Store(path, sync="full", create=True)
    from memory_wire.store.rows import NewUnit, Unit …  what goes in and comes out
    from memory_wire.store.ids import new_uid, show, parse
    memory_wire.store.protocol                          the interface with its promises (type checking only)

A write is a work, a function of the transaction, that may run twice and has no other effect:

    def work(tx):
        bank = tx.bank("default", "notes", create=True)
        found = tx.duplicate(bank, digest)
        return found[1] if found else tx.insert(bank, unit)

    store.submit(work)             joins the next group commit, returns when durable
    store.write([work, work])      one group commit of its own, a result or exception for each
    with store.read() as reader:   one snapshot; reader.bank(...), reader.units([...])

Used by the service only. Importing this package loads nothing; SQLite is loaded when a store is first used.
"""
