/** An answer before it is on the wire. */
import { stringifyWire } from "../../domain/Decimal.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

/** A body that is made while it is written. One of each owner is written at a time. */
export class Streamed {
  readonly owner: string
  /** The next piece; undefined at the end. */
  readonly next: Stored<string | undefined>
  constructor(owner: string, next: Stored<string | undefined>) {
    this.owner = owner
    this.next = next
  }
}

export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | Streamed | undefined
  /** Whether all readers share the body, which then takes no memory of its own. */
  readonly shared?: true
}

export const jsonHeaders = { "content-type": "application/json" }

export const json = (status: number, body: unknown, headers?: Readonly<Record<string, string>>): Outgoing => ({
  status,
  headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers },
  body: stringifyWire(body)
})

export const text = (status: number, contentType: string, body: string): Outgoing => ({
  status,
  headers: { "content-type": contentType },
  body
})

export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Outgoing => ({
  status,
  headers,
  body: undefined
})

/**
 * From `/name/` to `/name`, behind any prefix and with the query that came along: relative addresses of the page would
 * lead astray from the former.
 */
export const withoutSlash = (name: string, url = ""): Outgoing =>
  empty(308, { location: `../${name}${/\?.*$/s.exec(url)?.[0] ?? ""}` })
