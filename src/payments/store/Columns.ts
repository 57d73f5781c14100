/**
 * The decoder of the widest rows, which are read for every request: a schema of as many columns takes about 30 µs for
 * one, and this takes 3. Every column is checked, and the one that is not what it should be is named.
 */
import type { Naming } from "../../domain/Ids.ts"
import { UnexpectedRow } from "../../platform/database/Query.ts"

export interface Column<A> {
  /** What is wrong with a value, to be read after the name of its column; nothing where it is as it should be. */
  readonly problem: (value: unknown) => string | undefined
  readonly holds?: A
}

type Columns = Readonly<Record<string, Column<unknown>>>

export type RowOf<Table extends Columns> = {
  readonly [Name in keyof Table]: Table[Name] extends Column<infer A> ? A : never
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "a list" : typeof value
}

const column = <A>(expected: string, is: (value: unknown) => value is A): Column<A> => ({
  problem: (value) => (is(value) ? undefined : `: expected ${expected}, found ${kindOf(value)}`)
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const text = column("text", (value) => typeof value === "string")
/** Text that names something. */
export const idOf = <Id extends string>(_of: Naming<Id>) => text as Column<Id>
export const number = column("a number", (value) => typeof value === "number")
export const truth = column("true or false", (value) => typeof value === "boolean")
export const time = column("a time", (value) => value instanceof Date)
export const json = column("an object", isObject)

export const oneOf = <const Word extends string>(...words: ReadonlyArray<Word>): Column<Word> => {
  const known: ReadonlySet<unknown> = new Set(words)
  return column(`one of ${words.join(", ")}`, (value): value is Word => known.has(value))
}

/** What takes long to recognise is recognised once; there must not be many different ones. */
export const recognised = <A extends string>(expected: string, is: (value: unknown) => value is A): Column<A> => {
  const known = new Set<unknown>()
  return column(expected, (value): value is A => {
    if (known.has(value)) return true
    if (!is(value)) return false
    known.add(value)
    return true
  })
}

export const nullable = <A>({ problem }: Column<A>): Column<A | null> => ({
  problem: (value) => (value === null ? undefined : problem(value))
})

/** Of what is held as JSON: a name that may be lacking. */
export const optional = <A>({ problem }: Column<A>): Column<A | undefined> => ({
  problem: (value) => (value === undefined ? undefined : problem(value))
})

export const yes = column("true", (value): value is true => value === true)

export const listOf = <A>({ problem }: Column<A>): Column<ReadonlyArray<A>> => ({
  problem: (value) => {
    if (!Array.isArray(value)) return `: expected a list, found ${kindOf(value)}`
    for (const [place, one] of value.entries()) {
      const wrong = problem(one)
      if (wrong !== undefined) return `.${place}${wrong}`
    }
    return undefined
  }
})

export const recordOf = <A>({ problem }: Column<A>): Column<Readonly<Record<string, A>>> => ({
  problem: (value) => {
    if (!isObject(value)) return json.problem(value)
    for (const name in value) {
      const wrong = problem(value[name])
      if (wrong !== undefined) return `.${name}${wrong}`
    }
    return undefined
  }
})

/** Of a column that holds JSON: what it holds by name. */
export const fields = <Table extends Columns>(table: Table): Column<RowOf<Table>> => {
  const all = Object.entries(table)
  return {
    problem: (value) => {
      if (!isObject(value)) return json.problem(value)
      for (const [name, { problem }] of all) {
        const wrong = problem(value[name])
        if (wrong !== undefined) return `.${name}${wrong}`
      }
      return undefined
    }
  }
}

/**
 * The same row once every column of it was checked. Whoever takes it writes out what it makes of it: an object that is
 * spread, or filled name by name, is slow ever after.
 */
export const rowOf = <Table extends Columns>(table: Table): ((row: object) => RowOf<Table>) => {
  const all = Object.entries(table).map(([name, { problem }]) => ({ name, problem }))
  return (row) => {
    const found = row as Readonly<Record<string, unknown>>
    for (const { name, problem } of all) {
      const wrong = problem(found[name])
      if (wrong !== undefined) throw new UnexpectedRow({ message: `${name}${wrong}` })
    }
    return found as RowOf<Table>
  }
}

/** Columns that stand beside those of another table, told apart by a prefix. */
export const prefixed = <Table extends Columns, const Prefix extends string>(table: Table, prefix: Prefix) =>
  Object.fromEntries(Object.entries(table).map(([name, one]) => [prefix + name, one])) as {
    readonly [Name in keyof Table & string as `${Prefix}${Name}`]: Table[Name]
  }
