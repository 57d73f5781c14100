/**
 * Statements that come again are prepared on their connection: PostgreSQL then parses and plans the long ones of the
 * payment path once, not for every payment.
 */
import type Pg from "pg"

/** A text that varies without end (a list written out, say) must not fill the server's memory. */
const MOST_STATEMENTS = 256

type Done = (error: Error, result: Pg.QueryResult) => void

interface Query {
  (text: string | Pg.QueryConfig | Pg.Submittable, values?: ReadonlyArray<unknown> | Done, done?: Done): unknown
}

/** Gives each text the same name on every connection, from the second time it is seen. */
export const makeNames = (most: number = MOST_STATEMENTS): ((text: string) => string | undefined) => {
  const names = new Map<string, string>()
  const once = new Set<string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= most) return name
    if (!once.delete(text)) {
      if (once.size >= most) once.clear()
      once.add(text)
      return undefined
    }
    const fresh = `s${names.size + 1}`
    names.set(text, fresh)
    return fresh
  }
}

export const prepareRepeated = (pool: Pg.Pool): void => {
  const nameOf = makeNames()
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as Query
    const named: Query = (text, values, done) => {
      if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return query(text, values, done)
      const name = nameOf(text)
      return name === undefined ? query(text, values, done) : query({ name, text, values }, done)
    }
    client.query = named as typeof client.query
  })
}
