"""Databases: SQLite by Python's own module, PostgreSQL against a real server."""

import datetime as dt
import sqlite3
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from paravent.errors import TableError
from paravent.table.kinds import Kind
from paravent.table.read import read
from paravent.table.write import write

FRAME = pl.DataFrame(
    {
        "zip": ["01234", None, "99999"],
        "age": [34, None, -(2**62)],
        "pay %": [1.5, None, 0.1],
        "état civil": ["né:x", "=1+1", 'say "hi"'],
        "born": [dt.date(1999, 1, 31), None, dt.date(2020, 2, 29)],
        "seen": [dt.datetime(2020, 1, 1, 12, 0, 0, 5), None, dt.datetime(1970, 1, 1)],
        "at": [dt.time(12), None, dt.time(23, 59, 59)],
        "ok": [True, None, False],
    }
)


def test_postgres_round_trip(postgres: str) -> None:
    write(FRAME, postgres, table="people")
    table = read(postgres, table="people")
    assert_frame_equal(table.frame, FRAME)
    assert table.kind("born") is Kind.DATE
    assert "password" not in table.origin.description


def test_postgres_query_keeps_its_order(postgres: str) -> None:
    write(pl.DataFrame({"n": range(1000), "w": ["a", "b"] * 500}), postgres, table="many")
    table = read(postgres, query="SELECT n, w, n::text || ':x' AS both FROM many WHERE w = 'a' ORDER BY n DESC")
    assert table.frame["n"].to_list() == list(range(998, -1, -2))
    assert table.frame["both"][0] == "998:x"
    assert table.rows.tolist() == list(range(500))
    assert table.fingerprint == read(table.frame).fingerprint


def test_postgres_types(postgres: str) -> None:
    query = """SELECT 1.50::numeric AS money, 12::numeric AS whole, now() AS now, gen_random_uuid() AS id,
               interval '90 seconds' AS wait, NULL AS nothing, 'x'::varchar AS word"""
    frame = read(postgres, query=query).frame
    assert frame["money"].to_list() == [1.5]
    assert frame["whole"].dtype == pl.Int64
    assert frame["now"].dtype == pl.Datetime("us", "UTC")
    assert frame["id"].dtype == pl.String
    assert frame["wait"].to_list() == [90.0]
    assert frame["nothing"].null_count() == 1
    with pytest.raises(TableError, match="column 'a', row 1 holds a list, not a plain value"):
        read(postgres, query="SELECT ARRAY[1, 2] AS a")


def test_postgres_replaces_a_table_in_one_transaction(postgres: str) -> None:
    write(pl.DataFrame({"a": [1]}), postgres, table="kept")
    with pytest.raises(TableError, match="the database said"):
        write(pl.DataFrame({"a": ["fine", "bad\0text"]}), postgres, table="kept")
    assert read(postgres, table="kept").frame["a"].to_list() == [1]
    write(pl.DataFrame({"b": ["x"]}), postgres, table="kept")
    assert read(postgres, table="kept").frame.rows() == [("x",)]
    names = read(postgres, query="SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
    assert [name for name in names.frame["table_name"] if "kept" in name] == ["kept"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"query": "SELEC 1"}, "the query begins with 'SELEC'"),
        ({"query": "SELECT nothing"}, "the database said"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "columns 1 and 2 are both called 'a'"),
        ({"query": "SELECT * FROM absent"}, "absent"),
        ({"query": "DELETE FROM one"}, "the query begins with 'DELETE'"),
        ({"query": "WITH gone AS (DELETE FROM one RETURNING a) SELECT a FROM gone"}, "data-modifying|read-only"),
        ({"query": "SELECT 1 AS a; COMMIT; DELETE FROM one"}, "holds a semicolon"),
        ({"table": "absent"}, "has no table 'absent'"),
        ({}, "say which table to read|has no table"),
    ],
)
def test_postgres_mistakes(postgres: str, arguments: dict, sentence: str) -> None:
    write(pl.DataFrame({"a": [1]}), postgres, table="one")
    write(pl.DataFrame({"a": [1]}), postgres, table="two")
    with pytest.raises(TableError, match=sentence) as caught:
        read(postgres, **arguments)
    assert "\n" not in str(caught.value)


def test_schemas(postgres: str) -> None:
    import sqlalchemy as sa

    engine = sa.create_engine(postgres.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(sa.text('CREATE SCHEMA IF NOT EXISTS "clinic"'))
    engine.dispose()
    write(FRAME, postgres, table="clinic.patients")
    assert len(read(postgres, table="clinic.patients")) == 3


def test_an_unreachable_server_and_a_bad_url_hide_the_password() -> None:
    for rest in ("127.0.0.1:1/x", "127.0.0.1:port/x"):
        url = f"postgresql://me:s3cret@{rest}"
        with pytest.raises(TableError) as caught:
            read(url, table="t")
        assert "s3cret" not in str(caught.value)
    with pytest.raises(TableError, match="say which table to write"):
        write(FRAME, "postgresql://me:s3cret@127.0.0.1:1/x")


def test_sqlite_files(tmp_path: Path) -> None:
    path = tmp_path / "a b%.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b, c TEXT, d)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?)", [(1, 1, "1999-01-31", None), (2, "x", "2020-02-29", 2.5)]
        )
    connection.close()
    table = read(path)
    assert table.frame.rows() == [(1, "1", dt.date(1999, 1, 31), None), (2, "x", dt.date(2020, 2, 29), 2.5)]
    assert read(f"sqlite:///{path}", query="SELECT b AS bee FROM t WHERE a > 1").frame.rows() == [("x",)]
    with pytest.raises(TableError, match="the query begins with 'DELETE'"):
        read(path, query="DELETE FROM t")
    with pytest.raises(TableError, match="has no table 'u'"):
        read(path, table="u")
    assert len(read(path)) == 2


def test_sqlite_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (x'00ff')")
    connection.close()
    with pytest.raises(TableError, match="column 'a', row 1 holds a bytes"):
        read(path)


@pytest.mark.parametrize("name", ["50%", "100%s", "%(a)s", "a:b", 'say "hi"', "%"])
def test_names_of_tables_in_postgres(postgres: str, name: str) -> None:
    """A % is a letter of a name, and no placeholder of the driver."""
    write(pl.DataFrame({"a%": [1], "%(b)s": ["x"]}), postgres, table=name)
    assert read(postgres, table=name).frame.rows() == [(1, "x")]
    write(pl.DataFrame({"a": [2]}), postgres, table=name)
    assert read(postgres, table=name).frame.rows() == [(2,)]


def test_queries_with_percent_signs_and_colons(postgres: str) -> None:
    write(pl.DataFrame({"a": ["5%", "5:x", "6"]}), postgres, table="signs")
    assert read(postgres, query="SELECT a FROM signs WHERE a LIKE '5%' ORDER BY a").frame["a"].to_list() == [
        "5%",
        "5:x",
    ]
    assert read(postgres, query="SELECT 7 % 4 AS a, '%s' AS b, ':x' AS c").frame.rows() == [(3, "%s", ":x")]


def test_postgres_numerics_stay_apart(postgres: str) -> None:
    import paravent as pv

    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(3)])
    for odd, usual in (("1.00", "1.0"), ("9007199254740993", "9007199254740992"), ("0.30000000000000000001", "0.3")):
        query = f"SELECT * FROM (VALUES ({usual}::numeric), ({odd}::numeric), ({usual}::numeric)) AS t (age)"
        assert len(read(postgres, query=query)) == 3
        from paravent.table.released import read_released

        frame, _ = read_released(postgres, query=query)
        assert not pv.verify(frame, plan)
        assert not pv.verify(read(postgres, query=query), plan)
    same, _ = read_released(postgres, query="SELECT * FROM (VALUES (1.0), (1.0), (1.0)) AS t (age)")
    assert pv.verify(same, plan)
    with pytest.raises(TableError, match="intervals of time"):
        read_released(postgres, query="SELECT interval '1 month' AS age")
    zones = "SELECT * FROM (VALUES (timetz '12:00+01'), (timetz '12:00+02')) AS t (age)"
    assert read_released(postgres, query=zones)[0]["age"].n_unique() == 2


def test_attach_and_all_else_but_select_is_refused_in_sqlite(tmp_path: Path) -> None:
    path, other = tmp_path / "t.db", tmp_path / "other.db"
    write(pl.DataFrame({"a": [1]}), path, table="t")
    write(pl.DataFrame({"b": ["secret"]}), other, table="u")
    asked = {
        f"ATTACH '{other}' AS other": "begins with 'ATTACH'",
        "PRAGMA table_info(t)": "begins with 'PRAGMA'",
        "/* a */ -- b\n DROP TABLE t": "begins with 'DROP'",
        f"SELECT 1 AS a; ATTACH '{other}' AS other": "holds a semicolon",
        "SELECT * FROM pragma_table_info('t')": "SQLite said",
        "SELECT load_extension('x')": "SQLite said",
        "EXPLAIN SELECT 1": "begins with 'EXPLAIN'",
        "": "begins with ''",
        "WITH x AS (SELECT 1) DELETE FROM t": "SQLite said",
    }
    for query, sentence in asked.items():
        with pytest.raises(TableError, match=sentence):
            read(path, query=query)
    good = {
        "-- all\nSELECT a FROM t;": [(1,)],
        "WITH RECURSIVE n (a) AS (VALUES (1) UNION ALL SELECT a + 1 FROM n WHERE a < 2) SELECT a FROM n": [(1,), (2,)],
        "VALUES (1, ';')": [(1, ";")],
        "SELECT max(a) AS a, ';' AS b FROM t": [(1, ";")],
    }
    for query, rows in good.items():
        assert read(path, query=query).frame.rows() == rows


def test_columns_and_rows_of_postgres_are_read_alike(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By Arrow batches and row by row: the same types, the same cells, whatever the column holds."""
    query = """SELECT n::int2 AS small, n::int4 AS middle, n::int8 AS large, (n / 8.0)::float4 AS rough,
               (n / 3.0)::float8 AS fine, n % 2 = 0 AS even, 'w' || n AS word, 'c'::char(4) AS padded,
               date '2000-02-28' + n AS day, timestamp '2000-01-01 10:00' + n * interval '1 second' AS at,
               timestamptz '2000-01-01 10:00+02' + n * interval '1 hour' AS zoned, time '10:00' AS hour,
               n::numeric AS whole, n / 4::numeric AS money, NULL::int4 AS nothing,
               '00000000-0000-0000-0000-00000000000a'::uuid AS id, nullif(n, 3) AS holes, 0.1::float4 AS tenth
               FROM generate_series(0, 9) AS n ORDER BY n"""
    with monkeypatch.context() as patch:
        patch.setattr("paravent.table.database.frame_of", None)  # rows would need it
        by_columns = read(postgres, query=query)
    monkeypatch.setattr("paravent.table.database.read_arrow", lambda *_: None)
    by_rows = read(postgres, query=query)
    assert_frame_equal(by_columns.frame, by_rows.frame)
    assert by_columns.frame["tenth"][0] == 0.1
    assert by_columns.frame["id"][0] == "00000000-0000-0000-0000-00000000000a"
    assert by_columns.fingerprint == by_rows.fingerprint


def test_postgres_dates_beyond_the_calendar_are_no_dates_of_it(postgres: str) -> None:
    with pytest.raises(TableError, match="the database said"):
        read(postgres, query="SELECT date 'infinity' AS never")


def test_whatever_a_text_holds_goes_through_copy(postgres: str) -> None:
    texts = ["", None, "\\.", "\\N", "\\", "a\tb", "a\nb\r\nc", '"', "'", "null", "\n\\.\n", "é😀", " ", ",", ";"]
    frame = pl.DataFrame({"text": texts, "n": [*range(len(texts))]})
    write(frame, postgres, table="texts")
    assert_frame_equal(read(postgres, query="SELECT * FROM texts ORDER BY n").frame, frame)
    alone = pl.DataFrame({"only": ["", None, "\\."]})
    write(alone, postgres, table="alone")
    assert read(postgres, table="alone").frame["only"].to_list() == ["", None, "\\."]


def test_numbers_go_through_copy_digit_by_digit(postgres: str) -> None:
    frame = pl.DataFrame({"f": [0.1, 1e-300, 1.7976931348623157e308, float("inf"), -0.0], "i": [2**63 - 1, 0, 1, 2, 3]})
    write(frame, postgres, table="numbers")
    assert_frame_equal(read(postgres, table="numbers").frame, frame)


def test_tables_of_a_release_appear_in_a_database_together_or_not_at_all(postgres: str, tmp_path: Path) -> None:
    from paravent.plan.write import write_tables

    original = read(pl.DataFrame({"a": [1]}))
    for target in (postgres, f"sqlite:///{tmp_path / 'release.db'}"):
        first = {"release": pl.DataFrame({"a": [1, 2]}), "groups": pl.DataFrame({"b": ["x"]})}
        write_tables(first, original, target, {"table": "study"})
        assert read(target, table="study").frame["a"].to_list() == [1, 2]
        assert read(target, table="study_groups").frame["b"].to_list() == ["x"]
        broken = {"release": pl.DataFrame({"a": [7]}), "groups": pl.DataFrame({"b": [_bad(target)]})}
        with pytest.raises(TableError):
            write_tables(broken, original, target, {"table": "study"})
        assert read(target, table="study").frame["a"].to_list() == [1, 2]
        assert read(target, table="study_groups").frame["b"].to_list() == ["x"]


def _bad(target: str) -> object:
    """What one table of a database cannot hold."""
    return "bad\0text" if target.startswith("postgresql") else 2**64 - 1
