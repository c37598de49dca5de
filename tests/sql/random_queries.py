"""Random DuckDB queries over three tables: joins, conditions, groups, windows, subqueries, CTEs and set operations."""

from __future__ import annotations

from random import Random

DDL = """
CREATE TABLE t (a INTEGER NOT NULL, b INTEGER, s VARCHAR NOT NULL, u VARCHAR, d DATE NOT NULL, e DATE, f DOUBLE NOT NULL, p BOOLEAN, l INTEGER[] NOT NULL, j JSON NOT NULL);
CREATE TABLE v (a INTEGER NOT NULL, c INTEGER, s VARCHAR, q BOOLEAN NOT NULL, g DOUBLE);
CREATE TABLE w (k INTEGER NOT NULL, a INTEGER, b INTEGER NOT NULL, e DATE NOT NULL);
"""
TABLES = {
    "t": {
        "a": "int",
        "b": "int",
        "s": "str",
        "u": "str",
        "d": "date",
        "e": "date",
        "f": "float",
        "p": "bool",
        "l": "list",
        "j": "json",
    },
    "v": {"a": "int", "c": "int", "s": "str", "q": "bool", "g": "float"},
    "w": {"k": "int", "a": "int", "b": "int", "e": "date"},
}
NOT_NULL = {"t": set("asdflj"), "v": set("aq"), "w": set("kbe")}
VALUES = {
    "int": ["0", "1", "2", "3", "-1"],
    "str": ["''", "'a'", "'b'", "'1'", "'null'"],
    "date": ["DATE '2024-01-01'", "DATE '2024-01-02'", "DATE 'infinity'", "DATE '-infinity'"],
    "float": ["0.0", "1.5", "'nan'::DOUBLE", "'inf'::DOUBLE", "-2.0"],
    "bool": ["true", "false"],
    "list": ["[]", "[1, NULL]", "[2, 3]"],
    "json": ["'null'", "'1'", "'{\"a\": null}'", "'{\"a\": 2}'"],
}


class Queries:
    """Makes queries from one source of randomness."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.names = 0

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def column(self, kind: str, columns: list[tuple[str, str]]) -> str:
        fitting = [name for name, of in columns if of == kind]
        if fitting and not self.chance(0.15):
            return self.rng.choice(fitting)
        return (
            "NULL::"
            + {
                "int": "INTEGER",
                "str": "VARCHAR",
                "date": "DATE",
                "float": "DOUBLE",
                "bool": "BOOLEAN",
                "list": "INTEGER[]",
                "json": "JSON",
            }[kind]
            if self.chance(0.2)
            else self.literal(kind)
        )

    def literal(self, kind: str) -> str:
        value = self.rng.choice(VALUES[kind])
        return f"{value}::JSON" if kind == "json" else value

    def value(self, kind: str, columns: list[tuple[str, str]], depth: int = 2) -> str:
        """An expression of one kind."""
        if depth <= 0 or self.chance(0.3):
            return self.column(kind, columns)
        v = lambda of: self.value(of, columns, depth - 1)  # noqa: E731
        common = [
            lambda: f"coalesce({v(kind)}, {v(kind)})",
            lambda: f"CASE WHEN {self.condition(columns, depth - 1)} THEN {v(kind)} ELSE {v(kind)} END",
            lambda: (
                f"CASE WHEN {self.condition(columns, depth - 1)} THEN {v(kind)} WHEN {self.condition(columns, depth - 1)} THEN {v(kind)} END"
            ),
            lambda: f"if({self.condition(columns, depth - 1)}, {v(kind)}, {v(kind)})",
        ]
        if kind not in {"list", "json"}:
            common += [
                lambda: f"nullif({v(kind)}, {v(kind)})",
                lambda: f"greatest({v(kind)}, {v(kind)})",
                lambda: f"CASE {v(kind)} WHEN {v(kind)} THEN {v(kind)} ELSE {v(kind)} END",
            ]
        own = {
            "int": [
                lambda: f"({v('int')} {self.pick('+', '-', '*')} {v('int')})",
                lambda: f"({v('int')} {self.pick('//', '%')} {v('int')})",
                lambda: f"length({v('str')})",
                lambda: f"abs({v('int')})",
                lambda: f"TRY_CAST({v('str')} AS INTEGER)",
                lambda: f"year({v('date')})",
                lambda: f"date_diff('day', {v('date')}, {v('date')})",
                lambda: f"{v('list')}[{v('int')}]",
                lambda: f"len({v('list')})",
                lambda: f"({v('json')} ->> 'a')::VARCHAR::INTEGER",
                lambda: f"TRY_CAST({v('json')} AS INTEGER)",
            ],
            "str": [
                lambda: f"({v('str')} || {v('str')})",
                lambda: f"concat({v('str')}, {v('int')})",
                lambda: f"concat_ws({v('str')}, {v('str')}, {v('str')})",
                lambda: f"{self.pick('upper', 'lower', 'trim', 'md5')}({v('str')})",
                lambda: f"CAST({v('int')} AS VARCHAR)",
                lambda: f"substr({v('str')}, {v('int')}, 2)",
                lambda: f"replace({v('str')}, {v('str')}, {v('str')})",
                lambda: f"regexp_extract({v('str')}, '(x)?a', 1)",
                lambda: f"({v('json')} ->> 'a')",
                lambda: f"CAST({v('json')} AS VARCHAR)",
                lambda: f"strftime({v('date')}, '%Y')",
                lambda: f"split_part({v('str')}, 'a', 2)",
                lambda: f"string_split({v('str')}, {v('str')})[1]",
            ],
            "date": [
                lambda: f"date_trunc('month', {v('date')})::DATE",
                lambda: f"CAST({v('date')} + INTERVAL 1 DAY AS DATE)",
                lambda: f"last_day({v('date')})",
                lambda: f"TRY_CAST({v('str')} AS DATE)",
            ],
            "float": [
                lambda: f"({v('int')} / {v('int')})",
                lambda: f"({v('float')} {self.pick('+', '*', '/')} {v('float')})",
                lambda: f"round({v('float')}, 1)",
                lambda: f"sqrt(abs({v('float')}))",
            ],
            "bool": [lambda: self.condition(columns, depth - 1)],
            "list": [lambda: f"[{v('int')}, {v('int')}]", lambda: f"list_sort({v('list')})"],
            "json": [lambda: f"({v('json')} -> 'a')", lambda: f"to_json({v('int')})"],
        }[kind]
        return self.rng.choice(common + own * 2)()

    def condition(self, columns: list[tuple[str, str]], depth: int = 2) -> str:
        kind = self.pick("int", "int", "str", "date", "float", "bool")
        v = lambda: self.value(kind, columns, depth - 1)  # noqa: E731
        c = lambda: self.condition(columns, depth - 1)  # noqa: E731
        simple = [
            lambda: f"({v()} IS NOT NULL)",
            lambda: f"({v()} IS NULL)",
            lambda: f"({v()} {self.pick('=', '<>', '<', '>=')} {v()})",
            lambda: f"({v()} BETWEEN {v()} AND {v()})",
            lambda: f"({v()} NOT BETWEEN {v()} AND {v()})",
            lambda: f"({v()} {self.pick('IN', 'NOT IN')} ({v()}, {v()}))",
            lambda: f"({v()} IS {self.pick('', 'NOT')} DISTINCT FROM {v()})",
            lambda: f"({self.column('str', columns)} {self.pick('LIKE', 'NOT LIKE', 'ILIKE')} '%a%')",
            lambda: f"({self.column('bool', columns)} IS {self.pick('', 'NOT')} {self.pick('TRUE', 'FALSE')})",
            lambda: self.column("bool", columns),
            lambda: f"(({v()}, 1) {self.pick('=', 'IN')} (({v()}, 1){self.pick('', '')}))",
        ]
        if depth <= 0:
            return self.rng.choice(simple)()
        joined = [
            lambda: f"({c()} AND {c()})",
            lambda: f"({c()} OR {c()})",
            lambda: f"(NOT {c()})",
            lambda: f"coalesce({c()}, {self.pick('true', 'false', 'NULL')})",
            lambda: self.subquery_condition(columns),
        ]
        return self.rng.choice(simple * 2 + joined)()

    def about(self, column: str, kind: str, columns: list[tuple[str, str]], depth: int = 2) -> str:
        """A condition that says something about one column."""
        literal = self.literal(kind)
        inner = self.pick("v.c", "w.a", "w.b")
        simple = [
            f"{column} IS NOT NULL",
            f"({column} = {literal})",
            f"({column} <> {self.column(kind, columns)})",
            f"({column} IS {self.pick('', 'NOT')} DISTINCT FROM {self.pick(literal, 'NULL')})",
            f"({column} {self.pick('', 'NOT')} IN ({literal}, {self.column(kind, columns)}))",
            f"({literal} {self.pick('', 'NOT')} IN ({column}, {literal}))",
            f"({column} {self.pick('', 'NOT')} BETWEEN {literal} AND {self.column(kind, columns)})",
            f"({literal} {self.pick('', 'NOT')} BETWEEN {column} AND {literal})",
            f"(coalesce({column}, {self.column(kind, columns)}) IS NOT NULL)",
            f"({column}, 1) {self.pick('=', '<>', 'IN')} ({self.pick('', '')}({literal}, 1))",
            f"concat({column}, '') = 'a'",
            f"greatest({column}, {literal}) IS NOT NULL",
        ]
        if kind == "int":
            subquery = f"(SELECT {inner} FROM {inner[0]}{self.pick('', ' WHERE ' + inner + ' > 1')})"
            simple += [f"({column} {how} {subquery})" for how in ("IN", "NOT IN", "= ANY", "<> ALL", "> ALL", "> ANY")]
            simple += [f"({column} IN [{self.column('int', columns)}, 1])", f"(1 NOT IN [{column}, 2])"]
        if depth <= 0 or self.chance(0.4):
            return self.rng.choice(simple)
        other = self.about(column, kind, columns, depth - 1)
        mine = self.about(column, kind, columns, depth - 1)
        return self.pick(
            f"({mine} OR {other})",
            f"({mine} OR {self.condition(columns, 0)})",
            f"({mine} AND {self.condition(columns, 0)})",
            f"(NOT {mine})",
            f"(NOT ({mine} OR {other}))",
            f"(NOT ({mine} AND {other}))",
            f"coalesce({mine}, {self.pick('true', 'false')})",
            f"({mine} IS {self.pick('TRUE', 'FALSE', 'NOT TRUE', 'NOT FALSE')})",
            f"CASE WHEN {mine} THEN {other} ELSE {self.pick('true', 'false')} END",
        )

    def subquery_condition(self, columns: list[tuple[str, str]]) -> str:
        inner, kind = self.pick("v.c", "w.a", "w.b", "v.a"), "int"
        table = inner[0]
        outer = self.column(kind, columns)
        where = self.pick("", f" WHERE {inner} > 0", f" WHERE {table}.a = {outer}")
        return self.pick(
            f"({outer} {self.pick('IN', 'NOT IN')} (SELECT {inner} FROM {table}{where}))",
            f"EXISTS (SELECT 1 FROM {table}{where})",
            f"({outer} {self.pick('= ANY', '> ALL', '<> ALL')} (SELECT {inner} FROM {table}{where}))",
        )

    def relation(self, depth: int) -> tuple[str, str, list[tuple[str, str]]]:
        """An item of a FROM clause, its name, and its columns."""
        name = self.fresh("r")
        if depth > 0 and self.chance(0.25):
            sql, columns = self.query(depth - 1)
            return f"({sql}) AS {name}", name, columns
        table = self.pick(*TABLES)
        return f"{table} AS {name}", name, list(TABLES[table].items())

    def from_clause(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        sql, name, own = self.relation(depth)
        columns = [(f"{name}.{column}", kind) for column, kind in own]
        bare = {column for column, _ in own}
        for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
            more, alias, theirs = self.relation(depth)
            join = self.pick(
                "JOIN",
                "LEFT JOIN",
                "LEFT JOIN",
                "RIGHT JOIN",
                "FULL JOIN",
                "CROSS JOIN",
                "SEMI JOIN",
                "ANTI JOIN",
                "ASOF JOIN",
                "ASOF LEFT JOIN",
                "POSITIONAL JOIN",
            )
            added = [(f"{alias}.{column}", kind) for column, kind in theirs]
            shared = [
                column
                for column, kind in theirs
                if column in bare and kind != "json" and (f"{name}.{column}", kind) in columns
            ]
            if join in {"CROSS JOIN", "POSITIONAL JOIN"}:
                sql += f" {join} {more}"
            elif join.startswith("ASOF"):
                ours = [c for c, k in columns if k == "int"]
                other = [c for c, k in added if k == "int"]
                if not ours or not other:
                    continue
                sql += f" {join} {more} ON {self.rng.choice(ours)} >= {self.rng.choice(other)}"
            elif shared and self.chance(0.3) and len(columns) == len(own):
                column = self.rng.choice(shared)
                sql += f" {join} {more} USING ({column})"
                columns = [*columns, (column, dict(own)[column])]
            else:
                pairs = [(x, y) for x, k in columns for y, m in added if k == m == "int"]
                equal = " = ".join(self.rng.choice(pairs)) if pairs else "true"
                condition = (
                    equal
                    if self.chance(0.7) or not join.startswith(("JOIN", "LEFT"))
                    else f"{equal} AND {self.condition(columns + added, 1)}"
                )
                sql += f" {join} {more} ON {condition}"
            if not join.startswith(("SEMI", "ANTI")):
                columns = [*columns, *added]
        if self.chance(0.1):
            lists = [column for column, kind in columns if kind == "list"]
            if lists:
                alias = self.fresh("x")
                sql += f", unnest({self.rng.choice(lists)}) AS {alias}(i)"
                columns = [*columns, (f"{alias}.i", "int")]
        return sql, columns

    def window(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        argument = self.value("int", columns, 1)
        order = f"ORDER BY {self.column('int', columns)}" if self.chance(0.8) else ""
        partition = f"PARTITION BY {self.column('str', columns)}" if self.chance(0.5) else ""
        frame = (
            self.pick(
                "",
                "",
                "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
                "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
                "ROWS UNBOUNDED PRECEDING",
                "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
                "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW",
                "GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING",
                "RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
            )
            if order
            else ""
        )
        over = f"OVER ({partition} {order} {frame})"
        call = self.pick(
            "row_number()",
            "rank()",
            f"lag({argument})",
            f"lead({argument}, 1, {self.column('int', columns)})",
            f"first_value({argument})",
            f"last_value({argument})",
            f"nth_value({argument}, 2)",
            f"sum({argument})",
            f"max({argument})",
            f"count({argument})",
            f"sum({argument}) FILTER (WHERE {self.condition(columns, 0)})",
            "ntile(3)",
            "cume_dist()",
            f"first_value({argument} IGNORE NULLS)",
        )
        return f"{call} {over}", "int" if not call.startswith("cume") else "float"

    def aggregate(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        kind = self.pick("int", "str", "date", "float")
        value = self.value(kind, columns, 1)
        suffix = f" FILTER (WHERE {self.condition(columns, 1)})" if self.chance(0.15) else ""
        if self.chance(0.3):
            number = self.value("int", columns, 1)
            call = self.pick(
                f"sum({number})",
                f"count({number})",
                "count(*)",
                f"count(DISTINCT {number})",
                f"bool_or({self.condition(columns, 1)})::INTEGER",
                f"stddev({number})::INTEGER",
            )
            return (f"{call}{suffix}" if not call.endswith("INTEGER") else call), "int"
        call = self.pick("min", "max", "any_value", "first", "mode")
        return f"{call}({value}){suffix}", kind

    def select(self, depth: int) -> tuple[str, list[tuple[str, str]]]:
        source, columns = self.from_clause(depth)
        where = f" WHERE {self.condition(columns)}" if self.chance(0.6) else ""
        if self.chance(0.3):
            return self.grouped(source, where, columns)
        items: list[tuple[str, str]] = []
        plain = [(column, kind) for column, kind in columns if kind in {"int", "str", "date", "float"}]
        if plain and self.chance(0.5):
            column, kind = self.rng.choice(plain)
            condition = self.about(column, kind, columns)
            items.append((column, kind))
            if self.chance(0.6):
                where = f" WHERE {condition}"
            else:
                items.append((f"CASE WHEN {condition} THEN {column} ELSE {self.literal(kind)} END", kind))
                items.append((f"CASE WHEN {condition} THEN {self.literal(kind)} ELSE {column} END", kind))
        for _ in range(self.rng.choice([1, 2, 3, 4])):
            if self.chance(0.2):
                items.append(self.window(columns))
            elif self.chance(0.15):
                items.append(self.scalar(columns))
            else:
                kind = self.pick("int", "int", "str", "date", "float", "bool")
                items.append((self.value(kind, columns), kind))
        named = [(f"{sql} AS {self.fresh('o')}", kind) for sql, kind in items]
        text = f"SELECT {self.pick('', '', 'DISTINCT ')}{', '.join(sql for sql, _ in named)} FROM {source}{where}"
        outs = [(sql.rsplit(" AS ", 1)[1], kind) for sql, kind in named]
        if self.chance(0.15):
            subject = self.rng.choice(outs)[0] if self.chance(0.5) else self.window(columns)[0]
            text += f" QUALIFY {subject} {self.pick('IS NOT NULL', 'IS NULL')}"
        return text, outs

    def scalar(self, columns: list[tuple[str, str]]) -> tuple[str, str]:
        outer = self.column("int", columns)
        inner = self.pick("max(w.k)", "count(*)", "w.k", "w.a", f"max({outer})", "sum(w.b)", f"{outer} + w.b")
        where = self.pick("", f" WHERE w.b = {outer}", " WHERE w.a IS NOT NULL")
        limit = "" if "(" in inner and not inner.startswith("(") else " LIMIT 1"
        group = " GROUP BY w.k LIMIT 1" if "(" in inner and self.chance(0.2) else limit
        return f"(SELECT {inner} FROM w{where}{group})", "int"

    def grouped(self, source: str, where: str, columns: list[tuple[str, str]]) -> tuple[str, list[tuple[str, str]]]:
        keys = []
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            kind = self.pick("int", "str", "date")
            keys.append((self.column(kind, columns) if self.chance(0.7) else self.value(kind, columns, 1), kind))
        keys = [
            (sql, kind)
            for sql, kind in keys
            if not sql.startswith(("NULL", "'", "DATE")) and any(c.isalpha() for c in sql)
        ]
        if keys and self.chance(0.2) and not where:
            where = f" WHERE {keys[0][0]} IS NOT NULL"
        aggregates = [self.aggregate(columns) for _ in range(self.rng.choice([1, 2]))]
        items = [*keys, *aggregates]
        if keys and self.chance(0.3):
            items.append((f"coalesce({keys[0][0]}, {self.literal(keys[0][1])})", keys[0][1]))
        if self.chance(0.15):
            items.append(("(SELECT sum(1) FROM w WHERE k > 1)", "int"))
        if keys and self.chance(0.2):
            items.append((f"length({keys[0][0]}::VARCHAR)", "int"))
        if aggregates and self.chance(0.2):
            items.append((f"sum(count(*)) OVER (ORDER BY {(keys or aggregates)[0][0]})", "int"))
        named = [(f"{sql} AS {self.fresh('o')}", kind) for sql, kind in items]
        group = ""
        if keys:
            listed = ", ".join(sql for sql, _ in keys)
            style = self.pick("plain", "plain", "plain", "rollup", "cube", "sets", "all", "positions")
            group = {
                "plain": f" GROUP BY {listed}",
                "rollup": f" GROUP BY ROLLUP ({listed})",
                "cube": f" GROUP BY CUBE ({listed})",
                "sets": f" GROUP BY GROUPING SETS (({listed}), ({keys[0][0]}){self.pick('', ', ()')})",
                "all": " GROUP BY ALL",
                "positions": " GROUP BY " + ", ".join(str(n + 1) for n in range(len(keys))),
            }[style]
        having = ""
        if self.chance(0.3):
            subject = self.rng.choice(items)[0] if self.chance(0.7) else self.pick("count(*)", "sum(1)")
            if "OVER" not in subject:
                having = f" HAVING {subject} {self.pick('IS NOT NULL', 'IS NULL', 'IS DISTINCT FROM NULL')}"
        text = f"SELECT {', '.join(sql for sql, _ in named)} FROM {source}{where}{group}{having}"
        return text, [(sql.rsplit(" AS ", 1)[1], kind) for sql, kind in named]

    def query(self, depth: int = 2) -> tuple[str, list[tuple[str, str]]]:
        """A whole query, and its columns' names and kinds."""
        sql, columns = self.select(depth)
        shape = self.rng.random()
        if depth > 0 and shape < 0.12:
            other, theirs = self.select(depth - 1)
            picks = []
            for _, kind in columns:
                same = [name for name, of in theirs if of == kind]
                picks.append(self.rng.choice(same) if same else self.literal(kind))
            word = self.pick("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "UNION ALL BY NAME")
            return (
                f"(SELECT * FROM ({sql})) {word} (SELECT {', '.join(picks)} FROM ({other}))"
                if word != "UNION ALL BY NAME"
                else sql,
                columns,
            )
        if depth > 0 and shape < 0.25:
            name = self.fresh("q")
            outs = [(f"{name}.{column}", kind) for column, kind in columns]
            kind = self.rng.choice(columns)[1]
            extra = self.fresh("o")
            where = f" WHERE {self.condition(outs, 1)}" if self.chance(0.5) else ""
            return f"WITH {name} AS ({sql}) SELECT *, {self.value(kind, outs, 1)} AS {extra} FROM {name}{where}", [
                *columns,
                (extra, kind),
            ]
        if shape < 0.3:
            name = self.fresh("q")
            return f"SELECT * EXCLUDE ({columns[0][0]}), {columns[0][0]} FROM ({sql}) AS {name}", [
                *columns[1:],
                columns[0],
            ]
        return sql, columns


def rows(rng: Random, table: str) -> list[str]:
    """A few random rows of one table, as DuckDB writes them."""
    made = []
    for _ in range(rng.choice([0, 1, 2, 3])):
        values = [
            "NULL" if column not in NOT_NULL[table] and rng.random() < 0.4 else rng.choice(VALUES[kind])
            for column, kind in TABLES[table].items()
        ]
        made.append(f"({', '.join(values)})")
    return made
