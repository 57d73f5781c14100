/** Visiting the page of a payment link the way a browser without scripts does. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Link, linkOf, newLink } from "../../links/LinkFixtures.ts"
import { eventually, get, jsonOf } from "../../../payments/support/PaymentCalls.ts"
import { type Cast, people } from "../../../support/TestCredentials.ts"
import type { Answer } from "../../../support/Send.ts"
import { submit, visit } from "../PageVisits.ts"
import { crc32, deflateSync } from "node:zlib"

export type Fields = Readonly<Record<string, string>>

export const pathTo = ({ link_ref }: Link): string => `/pay/${link_ref}`

const payer = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" }

export const byPhone = (phone = payer.phone): Fields => ({ ...payer, method: "mobile_money", network: "mpesa", phone })

export const byCard = (number = "4242 4242 4242 4242"): Fields => ({
  ...payer,
  ...{ method: "card", number, expiry: "12/30", cvv: "123" }
})

export const byBank = (account_number = "1100223344"): Fields => ({
  ...payer,
  ...{ method: "bank_transfer", bank_name: "Equity Bank", account_number }
})

const HIDDEN = /<input type="hidden" name="(\w+)" value="([^"]*)"/g

/** Hidden fields that the form sends. */
export const hiddenIn = ({ text }: Answer): Fields =>
  Object.fromEntries(Array.from(text.matchAll(HIDDEN), ([, name = "", value = ""]) => [name, value]))

/** Opens the page, fills the form in and sends it; answers with where it leads. */
export const payAt = (link: Link, fields: Fields) =>
  Effect.gen(function* () {
    const page = yield* visit(`${pathTo(link)}?method=${fields["method"]}`)
    expect(page.status, page.text).toBe(200)
    return yield* submit(pathTo(link), { ...hiddenIn(page), ...fields })
  })

/** Locations are relative to the page. */
export const leadsTo = ({ headers, status, text }: Answer): string => {
  expect(status, text).toBe(303)
  expect(headers["location"]).toMatch(/^[0-9A-Za-z]{23}\/[0-9A-Za-z]{23}$/)
  return `/pay/${headers["location"]}`
}

export const paymentsOf = (owner: Cast, { link_id }: Link) =>
  Effect.map(get("/transactions?limit=100", owner.key), (answer) => {
    const { data } = jsonOf(answer) as { readonly data: ReadonlyArray<Readonly<Record<string, unknown>>> }
    return data.filter(({ metadata }) => (metadata as Fields)["link_id"] === link_id)
  })

export const untilPage = (path: string, words: string) =>
  eventually(visit(path), ({ text }: Answer) => text.includes(words))

export const acmeLink = (body?: object) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const link = yield* newLink(acme, body)
    return { acme, link, path: pathTo(link), look: linkOf(acme, link.link_id), payments: paymentsOf(acme, link) }
  })

/** A picture of one colour, for tests that want one which a browser can show. */
const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

export const pngOf = (width: number, height: number, color: readonly [number, number, number]): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from(color))])
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk("IEND", Buffer.alloc(0))
  ])
}
