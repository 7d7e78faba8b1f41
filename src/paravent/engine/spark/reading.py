"""What is read: a Spark frame, a folder of files, or a table of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.staging import Folder
from paravent.errors import TableError

CATALOGUE = "table:"
"""Names of tables of the catalogue begin so where a path could stand."""
_ENDINGS = {"parquet": (".parquet", ".parq"), "csv": (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")}


@dataclass(frozen=True, eq=False)
class Source:
    """A table that lies on a cluster: its frame, in words where it comes from, and its `folder` where it is one.
    `texts`: its cells are texts of a delimited file, and what they mean has to be found out."""

    frame: Any
    description: str
    folder: str | None = None
    texts: bool = False
    size: int | None = None


def is_spark_frame(source: object) -> bool:
    """Whether something is a frame of Spark, without importing it."""
    return any(c.__module__.startswith("pyspark.sql") and c.__name__ == "DataFrame" for c in type(source).__mro__)


def open_source(session: Any, source: Any, *, delimiter: str | None = None) -> Source:
    """A frame as it is, the table that `table:NAME` names, or a folder (or file) of Parquet or delimited text."""
    if is_spark_frame(source):
        if ".connect." in type(source).__module__:
            raise TableError(
                "a frame of Spark Connect cannot be anonymized: its jobs run elsewhere. Open a session on the cluster "
                "itself (SparkSession.builder.master(…))."
            )
        _check_names(source.columns)
        return Source(source, "a Spark frame")
    text = str(source)
    if text.startswith(CATALOGUE):
        name = text.removeprefix(CATALOGUE)
        with one_sentence(f"table {name!r}"):
            if not session.catalog.tableExists(name):
                raise TableError(f"the catalogue has no table {name!r}. Check its name and database.")
            frame = session.table(name)
        _check_names(frame.columns)
        return Source(frame, f"table {name} of the catalogue")
    folder = Folder(session, text)
    if not folder.exists:
        raise TableError(f"there is no file or folder {text!r}. Check the path.")
    files = folder.files()
    if not files:
        raise TableError(f"{text!r} holds no data files. Name a folder of Parquet or CSV files.")
    kinds = {kind for path, _ in files if (kind := _kind(path)) is not None}
    strange = next((path for path, _ in files if _kind(path) is None), None)
    if strange is not None:
        raise TableError(f"{text!r} holds {strange.rpartition('/')[2]!r}, which is neither Parquet nor CSV. Move it.")
    if len(kinds) > 1:
        raise TableError(f"{text!r} holds Parquet and CSV files. Give files of one kind.")
    size = sum(length for _, length in files)
    with one_sentence(f"reading {text!r}"):
        if kinds == {"parquet"}:
            _check_footers(session, [path for path, _ in files])
            frame = session.read.parquet(str(folder))
        else:
            _check_headers(session, [path for path, _ in files])
            tabs = all(".tsv" in path for path, _ in files)
            reader = session.read.option("header", True).option("sep", delimiter or ("\t" if tabs else ","))
            reader = reader.option("quote", '"').option("escape", '"').option("enforceSchema", False)
            frame = reader.option("mode", "FAILFAST").option("recursiveFileLookup", True).csv(str(folder))
        _check_names(frame.columns)
    words = f"{len(files)} file{'s' if len(files) > 1 else ''} in {text}"
    return Source(frame, words, str(folder), kinds == {"csv"}, size)


def _kind(path: str) -> str | None:
    name = path.lower()
    return next((kind for kind, endings in _ENDINGS.items() if name.endswith(endings)), None)


def _check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise TableError(f"two columns are called {name!r} to Spark, which does not tell capitals. Rename one.")
        seen.add(name.lower())
        if "`" in name or name.startswith("__"):
            raise TableError(f"column {name!r}: Spark cannot work with this name. Rename it.")


def _check_headers(session: Any, paths: Sequence[str]) -> None:
    """Refuse delimited files whose first lines differ: Spark would name the columns of all by those of one."""
    jvm, configuration = session._jvm, session._jsc.hadoopConfiguration()
    codecs = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(configuration)
    first: str | None = None
    for path in paths:
        place = jvm.org.apache.hadoop.fs.Path(path)
        stream = place.getFileSystem(configuration).open(place)
        codec = codecs.getCodec(place)
        packed = stream if codec is None else codec.createInputStream(stream)
        reader = jvm.java.io.BufferedReader(jvm.java.io.InputStreamReader(packed, "UTF-8"))
        try:
            found = str(reader.readLine() or "")
        finally:
            reader.close()
        first = found if first is None else first
        if found != first:
            raise TableError(
                f"the files have different columns: the first line of {path.rpartition('/')[2]!r} is not that of "
                f"{paths[0].rpartition('/')[2]!r}. Give files of one table."
            )


def _check_footers(session: Any, paths: Sequence[str]) -> None:
    """Refuse Parquet files whose columns differ: Spark would fill what one of them lacks with nothing."""
    jvm, configuration = session._jvm, session._jsc.hadoopConfiguration()
    first: dict[str, str] | None = None
    for path in paths:
        place = jvm.org.apache.hadoop.fs.Path(path)
        try:
            footer = jvm.org.apache.parquet.hadoop.ParquetFileReader.readFooter(configuration, place)
        except Exception:
            raise TableError(f"{path.rpartition('/')[2]!r} is not a Parquet file, or damaged. Replace it.") from None
        schema = footer.getFileMetaData().getSchema()
        found = {str(f.getName()): str(f.toString()).partition(" ")[2] for f in schema.getFields()}
        if first is None:
            first = found
            continue
        if found != first:
            name = next(name for name in {**first, **found} if first.get(name) != found.get(name))
            here = path.rpartition("/")[2]
            what = (
                f"has no column {name!r}"
                if name not in found
                else f"has a column {name!r} that others lack"
                if name not in first
                else f"has column {name!r} as {found[name].split(' ')[0]}, others as {first[name].split(' ')[0]}"
            )
            raise TableError(f"the files have different columns: {here!r} {what}. Give files of one table.")
