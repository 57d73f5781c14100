/**
 * Statements that repeat are prepared: PostgreSQL parses, plans and describes each once for a connection. pg itself asks for
 * the description of the rows with each execution, and keeps an event emitter for each.
 */
import Pg from "pg"
import utils from "pg/lib/utils.js"

/** Bounds the server's memory for texts that vary without end. */
const MOST_STATEMENTS = 256

/** Filters of lists make many texts. They share half of the names, so that the others stay prepared. */
const isRead = (text: string): boolean => /^\s*(select|with)\b/i.test(text) && !/\b(insert|update|delete)\b/i.test(text)

/** Gives each text the same name on every connection, from the second time it is seen. */
export const makeNames = (most: number = MOST_STATEMENTS): ((text: string) => string | undefined) => {
  const names = new Map<string, string>()
  const once = new Set<string>()
  let reads = 0
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= most || (isRead(text) && reads >= most / 2)) return name
    if (!once.delete(text)) {
      if (once.size >= most) once.clear()
      once.add(text)
      return undefined
    }
    if (isRead(text)) reads += 1
    const fresh = `s${names.size + 1}`
    names.set(text, fresh)
    return fresh
  }
}

/** Values of a row as the server sends them. */
type Sent = ReadonlyArray<string | null>

/** Rows of a statement on a connection: null where it has none. */
type Layout = ((sent: Sent) => object) | null

type Parser = (text: string) => unknown

const UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/

/** Shorter ways for what most values are: an empty object, a time in UTC. */
const shortcuts: ReadonlyMap<number, (parse: Parser) => Parser> = new Map([
  [Pg.types.builtins.JSONB, (parse) => (text) => (text === "{}" ? {} : parse(text))],
  [
    Pg.types.builtins.TIMESTAMPTZ,
    (parse) => (text) => (UTC.test(text) ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parse(text))
  ]
])

const returnsRow = (columns: ReadonlyArray<string>): ((parsers: ReadonlyArray<Parser>, sent: Sent) => object) => {
  const members = columns.map(
    (name, n) => `${JSON.stringify(name)}: sent[${n}] === null ? null : parsers[${n}](sent[${n}])`
  )
  return new Function("parsers", "sent", `return { ${members.join(", ")} }`) as ReturnType<typeof returnsRow>
}

/**
 * Makes rows by code that names its columns. Objects that are filled by computed names are slow to fill and to read if they
 * have many columns.
 */
const makeLayouts = () => {
  const made = new Map<string, ReturnType<typeof returnsRow>>()
  return (fields: ReadonlyArray<Pg.FieldDef>, client: Pg.ClientBase): Layout => {
    const columns = fields.map(({ name }) => name)
    const key = JSON.stringify(columns)
    const make = made.get(key) ?? returnsRow(columns)
    made.set(key, make)
    const parsers = fields.map(({ dataTypeID }): Parser => {
      const parse = client.getTypeParser(dataTypeID, "text")
      return shortcuts.get(dataTypeID)?.(parse) ?? parse
    })
    return (sent) => make(parsers, sent)
  }
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** What a statement of its own may use of pg's connection, as pg-cursor does. */
interface Connection extends Pg.Connection {
  /** Texts by name. */
  readonly parsedStatements: Readonly<Record<string, string>>
}

/** Nothing reads more of a result than its rows. */
const resultOf = (rows: Array<object>): Pg.QueryResult => ({ command: "", rowCount: null, oid: 0, fields: [], rows })

/** What is the same for all statements of a connection. */
interface OfConnection {
  readonly layouts: Map<string, Layout>
  readonly layoutOf: (fields: ReadonlyArray<Pg.FieldDef>) => Layout
}

type Done = (error: Error | null | undefined, result: Pg.QueryResult) => void

/** One execution. Asks for the description of its rows only if the connection has not seen it. */
class PreparedStatement implements Pg.Submittable {
  /** Set by pg, with its time limit around it. */
  callback: Done | undefined = undefined
  query_timeout: number | undefined = undefined
  private readonly rows: Array<object> = []
  private layout: Layout | undefined
  private failure: Error | undefined = undefined
  readonly name: string
  readonly text: string
  private readonly values: ReadonlyArray<unknown>
  private readonly own: OfConnection

  constructor(name: string, text: string, values: ReadonlyArray<unknown>, own: OfConnection) {
    this.name = name
    this.text = text
    this.values = values
    this.own = own
    this.layout = own.layouts.get(name)
  }

  /** Returns an error if nothing was sent. */
  submit(given: Pg.Connection): Error | null {
    const connection = given as Connection
    const { name, text } = this
    const isPrepared = connection.parsedStatements[name] !== undefined
    if (!isPrepared) this.layout = undefined
    try {
      const values = this.values.map((value) => utils.prepareValue(value)) as Array<string>
      connection.stream.cork()
      if (!isPrepared) connection.parse({ name, text, types: [] }, true)
      connection.bind({ statement: name, values }, true)
      if (this.layout === undefined) connection.describe({ type: "P" }, true)
      connection.execute({}, true)
      connection.sync()
      return null
    } catch (error) {
      return asError(error)
    } finally {
      connection.stream.uncork()
    }
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<Pg.FieldDef> }): void {
    this.layout = this.own.layoutOf(fields)
  }

  handleDataRow({ fields }: { readonly fields: Sent }): void {
    try {
      if (this.layout) this.rows.push(this.layout(fields))
    } catch (error) {
      this.failure = asError(error)
    }
  }

  // pg calls these too.
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.callback?.(this.failure ?? error, resultOf([]))
  }

  handleReadyForQuery(): void {
    if (this.failure !== undefined) return this.handleError(this.failure)
    this.own.layouts.set(this.name, this.layout ?? null)
    try {
      this.callback?.(null, resultOf(this.rows))
    } catch (error) {
      // As pg does: here it would keep the connection from its next statement.
      process.nextTick(() => {
        throw error
      })
    }
  }
}

interface Query {
  (config: string | Pg.QueryConfig | Pg.Submittable, values?: ReadonlyArray<unknown> | Done, done?: Done): unknown
}

/** Prepares the statements of a pool that repeat. */
export const prepareRepeated = (pool: Pg.Pool): void => {
  const nameOf = makeNames()
  const layoutOf = makeLayouts()
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as Query
    const own: OfConnection = {
      layouts: new Map(),
      layoutOf: (fields) => layoutOf(fields, client)
    }
    const prepared: Query = (text, values, done) => {
      if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return query(text, values, done)
      const name = nameOf(text)
      if (name === undefined) return query(text, values, done)
      if (done === undefined) return query({ name, text, values })
      return query(new PreparedStatement(name, text, values, own), done)
    }
    client.query = prepared as typeof client.query
  })
}
