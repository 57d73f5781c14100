/** What a database holds, by its own word: which tables there are, in which order they can be filled, and nothing else. */
import type Pg from "pg"
import type { BackupTable } from "./BackupFile.ts"

const OURS = `n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Migrations are made anew where a backup is restored, and so is their list. */
export const MIGRATIONS = "corridor_migrations"

export const tableName = ({ name }: BackupTable): string => `public.${quoted(name)}`

export const columnNames = ({ columns }: BackupTable): string => columns.map(quoted).join(", ")

export const isEmpty = async (client: Pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS}) as found`
  )
  return rows[0]?.found === false
}

/** Each after those that it refers to; a table that refers to itself is filled by one statement, which allows it. */
const inOrder = (tables: ReadonlyArray<BackupTable>, refers: ReadonlyMap<string, ReadonlySet<string>>) => {
  const done = new Set<string>()
  const ordered: Array<BackupTable> = []
  while (ordered.length < tables.length) {
    const ready = tables.filter(
      ({ name }) => !done.has(name) && [...(refers.get(name) ?? [])].every((to) => to === name || done.has(to))
    )
    if (ready.length === 0) throw new Error("Tables refer to each other in a circle: none of them can be filled first")
    for (const table of ready) {
      done.add(table.name)
      ordered.push(table)
    }
  }
  return ordered
}

export const tablesOf = async (client: Pg.Client): Promise<ReadonlyArray<BackupTable>> => {
  const tables = await client.query<{ name: string; columns: Array<string> }>(
    `select c.relname::text as name, array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
      ) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} and c.relname <> '${MIGRATIONS}'
      order by c.relname`
  )
  const references = await client.query<{ from: string; to: string }>(
    `select k.conrelid::regclass::text as "from", k.confrelid::regclass::text as "to"
      from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace`
  )
  const refers = new Map<string, Set<string>>()
  for (const { from, to } of references.rows) refers.set(from, (refers.get(from) ?? new Set()).add(to))
  return inOrder(tables.rows, refers)
}

/** Takes back what was made in a database that had been empty. */
export const makeEmpty = `do $$
  declare
    one record;
  begin
    for one in select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} loop
      execute format('drop table if exists %s cascade', one.name);
    end loop;
    for one in select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') loop
      execute format('drop routine if exists %s cascade', one.name);
    end loop;
  end $$`
