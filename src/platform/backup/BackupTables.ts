/** Tables of a backup: their names, their foreign keys, and COPY in both directions. */
import { once } from "node:events"
import { Readable, type Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type Pg from "pg"
import { from as copyFrom, to as copyTo } from "pg-copy-streams"
import { MIGRATIONS_TABLE } from "../database/Migrations.ts"
import { DETACHED_PREFIX, tableOfPartition } from "../partitions/DetachOld.ts"
import type { BackupTable } from "./BackupFile.ts"

const OURS = `n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const tableName = ({ name }: BackupTable): string => `public.${quoted(name)}`

export const columnNames = ({ columns }: BackupTable): string => columns.map(quoted).join(", ")

export const isEmpty = async (client: Pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS}) as found`
  )
  return rows[0]?.found === false
}

/** Tables of a backup. Leaves out the list of migrations, which a restore creates. */
export const tablesOf = async (client: Pg.Client): Promise<ReadonlyArray<BackupTable>> => {
  const tables = await client.query<{ name: string; columns: Array<string> }>(
    `select c.relname::text as name, array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
      ) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} and c.relname <> '${MIGRATIONS_TABLE}'
      order by c.relname`
  )
  return tables.rows
}

/** Creates the table of a detached partition; nothing for other tables. */
export const detachedTable = (table: BackupTable): ReadonlyArray<string> => {
  const left = table.name.startsWith(DETACHED_PREFIX)
    ? tableOfPartition(table.name.slice(DETACHED_PREFIX.length))
    : undefined
  return left === undefined
    ? []
    : [`create table ${tableName(table)} (like public.${quoted(left)} including defaults including storage)`]
}

/** Foreign keys, dropped while the tables are filled: they form circles. */
export const referencesOf = async (client: Pg.Client) => {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
      from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
      order by conrelid::regclass::text, conname`
  )
  return rows
}

/** Drops everything that a failed restore created in an empty database. */
export const makeEmpty = `do $$
  declare
    one record;
  begin
    for one in select c.oid::regclass as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' loop
      execute format('drop view if exists %s cascade', one.name);
    end loop;
    for one in select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} loop
      execute format('drop table if exists %s cascade', one.name);
    end loop;
    for one in select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') loop
      execute format('drop routine if exists %s cascade', one.name);
    end loop;
    for one in select t.oid::regtype as name from pg_type t
      where t.typnamespace = 'public'::regnamespace and t.typtype = 'd'
      and not exists (select from pg_depend d where d.objid = t.oid and d.deptype = 'e') loop
      execute format('drop domain if exists %s cascade', one.name);
    end loop;
  end $$`

const NEWLINE = 0x0a

/** Writes the rows of a table in the text format of COPY. Returns their number: each row is a line. */
export const copyOut = async (client: Pg.Client, table: BackupTable, into: Writable): Promise<number> => {
  let rows = 0
  const text = `copy (select ${columnNames(table)} from ${tableName(table)}) to stdout`
  for await (const chunk of client.query(copyTo(text)) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) rows += 1
    if (!into.write(chunk)) await once(into, "drain")
  }
  return rows
}

export const copyIn = (client: Pg.Client, table: BackupTable, source: AsyncIterable<Buffer>): Promise<void> =>
  pipeline(
    Readable.from(source, { objectMode: false }),
    client.query(copyFrom(`copy ${tableName(table)} (${columnNames(table)}) from stdin`))
  )
