/** What a database holds, by its own word: which tables there are, and how they refer to each other. */
import type Pg from "pg"
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

/** All but the list of migrations, which a restore makes anew. */
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

/** Makes a table anew that a month had become when it left; nothing for all others. */
export const leavingTable = (table: BackupTable): ReadonlyArray<string> => {
  const left = table.name.startsWith(DETACHED_PREFIX)
    ? tableOfPartition(table.name.slice(DETACHED_PREFIX.length))
    : undefined
  return left === undefined
    ? []
    : [`create table ${tableName(table)} (like public.${quoted(left)} including defaults including storage)`]
}

/** Tables refer to each other in circles: while they are filled, nothing holds them to it. */
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

/** Takes back what was made in a database that had been empty. */
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
  end $$`
