/** Orders in Kenya, an account at Daraja, and the requests and callbacks of its documentation. */
import type { ProviderCall, ProviderHttp } from "../../../src/providers/client/ProviderHttp.ts"
import { mpesaFake } from "../../fakes/MpesaFake.ts"
import { mpesa } from "../../../src/providers/mpesa/MpesaAdapter.ts"
import { type AboutAccount, connected } from "../support/ConnectedAdapter.ts"
import { type About, amount, orderOf, referenceNo } from "../support/TestOrders.ts"
import { type Flaws, publishedFile, unpublished } from "../support/PublishedContract.ts"
import { replyOf, type Said, scripted } from "../support/ScriptedReplies.ts"

export const kenyan = (about: About = {}) =>
  orderOf({
    method: "mobile_money",
    country: "KE",
    reference: referenceNo(7),
    money: amount("1500", "KES"),
    mobileMoney: { network: "mpesa", phoneNumber: "+254712345678" },
    ...about
  })

export const atMpesa = (
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>> = {},
  about: AboutAccount<typeof mpesa.fields> = {}
) => connected(mpesa, http, { ...mpesaFake.credentials, ...credentials }, about)

const granted = replyOf(200, { access_token: "t", expires_in: "3599" })

/** A token is granted; everything else is answered with this. */
export const answering = (said: Said | ((call: ProviderCall) => Said)) =>
  scripted((call) => {
    if (call.path.startsWith("/oauth/")) return granted
    return typeof said === "function" ? said(call) : said
  })

const FILE = "mpesa-daraja.examples.json"

export const why = unpublished(FILE)

interface Example {
  readonly name: string
  readonly method?: string
  readonly path?: string
  readonly request?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

const { operations, resultCodes } = (
  why === "" ? JSON.parse(publishedFile(FILE)) : { operations: [], resultCodes: {} }
) as { readonly operations: ReadonlyArray<Example>; readonly resultCodes: Readonly<Record<string, string>> }

export { resultCodes }

export const example = (name: string): Example => operations.find((one) => one.name === name)!

/**
 * The current version of the payout. It adds our own id, which the examples note, and spells the optional occasion
 * otherwise, which is left out.
 */
const versions: Readonly<Record<string, string>> = {
  "/mpesa/b2c/v3/paymentrequest": "/mpesa/b2c/v1/paymentrequest"
}
const added = new Set(["OriginatorConversationID"])
const leftOut = new Set(["Occasion"])

/** Problems of a call: its path, and the names and types of its fields. */
export const callFlaws = ({ body = "{}", method, path }: Pick<ProviderCall, "body" | "method" | "path">): Flaws => {
  const found = operations.find((one) => one.method === method && one.path === (versions[path] ?? path))
  if (found === undefined) return [`there is no ${method} ${path}`]
  const sent = JSON.parse(body) as Readonly<Record<string, unknown>>
  const wanted = found.request ?? {}
  const known = Object.keys(wanted).filter((name) => !leftOut.has(name))
  return [
    ...known.filter((name) => !(name in sent)).map((name) => `${name} is missing`),
    ...Object.keys(sent)
      .filter((name) => !(name in wanted) && !added.has(name))
      .map((name) => `there is no ${name}`),
    ...known
      .filter((name) => name in sent && typeof sent[name] !== typeof wanted[name])
      .map((name) => `${name} must be ${typeof wanted[name]}`)
  ]
}
