/** The names that a machine knows by itself, which its name servers are not asked for. */
import { readFileSync } from "node:fs"
import { isIP } from "node:net"

export type KnownNames = ReadonlyMap<string, ReadonlyArray<string>>

const path = "/etc/hosts"

/** An address with a zone means something on one of the machine's own links only. */
const isAddress = (text: string | undefined): text is string =>
  text !== undefined && isIP(text) !== 0 && !text.includes("%")

export const parseHosts = (text: string): KnownNames => {
  const known = new Map<string, ReadonlyArray<string>>()
  for (const line of text.split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (!isAddress(address)) continue
    for (const name of names.map((one) => one.toLowerCase())) known.set(name, [...(known.get(name) ?? []), address])
  }
  return known
}

/** As it is now; a machine without one knows no names. */
export const readHosts = (): KnownNames => {
  try {
    return parseHosts(readFileSync(path, "utf8"))
  } catch {
    return new Map()
  }
}
