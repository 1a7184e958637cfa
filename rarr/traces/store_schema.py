"""Declares the SQL tables of the trace store and the two long queries on them."""

from rarr.tools.storage.database import Schema

SCHEMA = Schema(
    noun="trace store",
    name=0x72617274,  # "rart" in ASCII
    format=2,
    tables="""
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,  -- grows, and no number comes again
            run_id TEXT NOT NULL UNIQUE, stored REAL NOT NULL,  -- when it came here
            started REAL NOT NULL, seconds REAL, error TEXT NOT NULL,
            facts TEXT NOT NULL, records TEXT NOT NULL, revision TEXT
        );
        CREATE TABLE spans (
            run INTEGER NOT NULL, number INTEGER NOT NULL,
            parent INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,
            started REAL NOT NULL, seconds REAL, error TEXT NOT NULL, records TEXT NOT NULL,
            body TEXT NOT NULL, PRIMARY KEY (run, number)
        );
        -- Of each run its own: another's file may say anything of the prompt of a hash.
        CREATE TABLE prompts (
            run INTEGER NOT NULL, hash TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (run, hash)
        );
        CREATE TRIGGER removed AFTER DELETE ON runs BEGIN
            DELETE FROM spans WHERE run = old.id;
            DELETE FROM prompts WHERE run = old.id;
        END;
    """,
)

_OF_REQUESTS = "FROM spans WHERE run = runs.id AND kind = 'request'"
LISTED = f"""
    SELECT run_id, started, seconds, error, facts, coalesce(json_extract(revision, '$.changed'), 0),
        (SELECT count(json_extract(body, '$.tokens')) {_OF_REQUESTS}),
        (
            SELECT coalesce(sum(json_extract(body, '$.tokens[0]') + json_extract(body, '$.tokens[1]')), 0)
            {_OF_REQUESTS}
        ),
        (
            SELECT count(DISTINCT json_extract(value, '$[2].id')) FROM spans, json_each(spans.records)
            WHERE run = runs.id AND json_extract(value, '$[1]') = 'Edit'
            AND json_extract(value, '$[2].accepted')
        )
    FROM runs WHERE substr(run_id, 1, ?) = ? ORDER BY id DESC LIMIT ?
"""
SPANS = """
    SELECT number, parent, kind, name, about, started, seconds, error, records, body
    FROM spans WHERE run = ? ORDER BY number
"""
