/** API keys as people read them, whichever way they came. */
import { type TextLayout, tableLayout, minute, properties } from "../shared/Table.ts"

type Time = Date | string

interface Key {
  readonly api_key_id: string
  readonly prefix: string
  readonly name: string
  readonly role: string
  readonly status: string
  readonly expires_at: Time | null
  readonly created_at: Time
}

export const createdKey = (key: Pick<Key, "api_key_id" | "name" | "role"> & Secret & { readonly user_id: string }) =>
  `API key created. It is shown this once; only its hash is stored.\n${properties([
    ["Id", key.api_key_id],
    ["Name", key.name],
    ["Role", key.role],
    ["User", key.user_id],
    ["API key", key.api_key]
  ])}`

interface Secret {
  readonly api_key: string
}

export const keyTable = (keys: ReadonlyArray<Key>): TextLayout =>
  tableLayout(
    ["ID", "PREFIX", "NAME", "ROLE", "STATUS", "CREATED"],
    keys.map((key) => [
      key.api_key_id,
      key.prefix,
      key.name,
      key.role,
      key.expires_at === null ? key.status : `${key.status} at ${minute(key.expires_at)}`,
      minute(key.created_at)
    ]),
    'No API keys here yet: "corridor keys create" makes one.',
    ["PREFIX", "ROLE", "CREATED"]
  )

export const rotatedKey = (key: Pick<Key, "api_key_id"> & Secret, graceSeconds: number): string => {
  const old = graceSeconds === 0 ? "is revoked" : `expires in ${graceSeconds} seconds`
  const shown = properties([
    ["Id", key.api_key_id],
    ["API key", key.api_key]
  ])
  return `API key rotated; the old one ${old}. The new one is shown this once.\n${shown}`
}
