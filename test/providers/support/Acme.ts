/** The adapter of an invented third party, whole or with one of the faults that adapters have. */
import { createHmac } from "node:crypto"
import { Effect, Either, Option, Redacted } from "effect"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report } from "../../../src/domain/Outcome.ts"
import type { ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import {
  credentialsRefused,
  enquiryResult,
  unknownOutcome,
  outcomeOfOrder
} from "../../../src/providers/client/ProviderReplies.ts"
import { Check, Hint, NoProof, Proof, VerifiedReport } from "../../../src/providers/port/Callback.ts"
import type { AttemptContext, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import type { ThirdPartyName } from "../../../src/domain/Corridor.ts"
import { servedBy, thirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { moneyOfMinor, readJson } from "../../../src/providers/client/WireValues.ts"

export type Fault =
  | "sends a new reference every time"
  | "declines what it cannot read"
  | "believes any answer of 200"
  | "says absent when it is not sure"
  | "never says absent"
  | "blames the payer for everything"
  | "keeps to itself how much came"
  | "leaks its key"
  | "leaks its key to the log"
  | "does not check the signature"
  | "states half of what is signed"
  | "loses the way to the attempt"
  | "takes silence for failure"
  | "makes up a key for every callback"
  | "refunds twice"
  | "says every account is good"
  | "declines a repeated refund"
  | "accepts what is refused"
  | "has refunds that it does not declare"
  | "names no movement"
  | "has another id for a movement in each report"

interface Order {
  readonly id: string
  readonly kind: "payin" | "payout" | "refund"
  readonly reference: string
  readonly status: Report["state"] | "waiting"
  readonly received: string
  readonly currency: string
  readonly page?: string
}

const movedBy = { payin: "collection", payout: "disbursement", refund: "refund" } as const

const orderIn = (json: unknown): Option.Option<Order> =>
  typeof json === "object" && json !== null && "status" in json ? Option.some(json as Order) : Option.none()

const serves = [
  { method: "card", flow: "inbound", countries: "everywhere", currencies: ["KES", "UGX"] },
  { method: "wallet", flow: "inbound", countries: "everywhere", currencies: ["KES"] },
  { method: "bank_transfer", flow: "outbound", countries: ["KE"], currencies: ["KES"] }
] as const

const fields = {
  api_key: { env: "ACME_API_KEY", about: "The key." },
  webhook_secret: { env: "ACME_WEBHOOK_SECRET", about: "Signs its callbacks." },
  merchant: { env: "ACME_MERCHANT", about: "The account's name.", shown: true }
} as const

export const acme = (fault?: Fault) =>
  thirdParty({
    name: "acme" as ThirdPartyName,
    title: "Acme",
    baseUrls: { sandbox: "http://127.0.0.1:1", live: "https://acme.example" },
    modes: {},
    fields,
    serves,
    setup: { keys: ["A key."], callbacks: null },
    refunds: fault !== "has refunds that it does not declare",
    connect: ({ credentials, http }) => {
      const key = Redacted.value(credentials.api_key)
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      let sends = 0
      let reported = 0

      const stateOf = ({ status }: Order) => (status === "waiting" ? "pending" : status)
      /** An order moves its money once, so its id is the movement's as well. */
      const movements = ({ currency, id, kind, received: amount, status }: Order): Pick<Report, "movements"> => {
        const isNamed = typeof id === "string" && fault !== "names no movement"
        if (status !== "completed" || !isNamed) return {}
        reported += 1
        const own = fault === "has another id for a movement in each report" ? `${id}-${reported}` : id
        const isSilent = fault === "keeps to itself how much came"
        const money = isSilent ? null : Option.getOrNull(moneyOfMinor(amount, currency))
        return { movements: [{ kind: movedBy[kind], id: own, amount: money, state: "settled" }] }
      }

      const reportOf = (order: Order): Report =>
        new Report({
          state: fault === "takes silence for failure" && order.status === "processing" ? "failed" : stateOf(order),
          reason: null,
          providerPaymentId: order.id,
          providerStatus: order.status,
          ...movements(order)
        })

      const refusalOf = (reply: ProviderReply): Outcome => {
        if (reply.status === 401) return credentialsRefused(reply)
        const code = JSON.stringify(reply.json).includes("card_refused") ? "card_refused" : "limit"
        const isPayers = code === "card_refused" || fault === "blames the payer for everything"
        return new Declined({ reason: code, providerCode: code, ...(isPayers ? { instrument: true } : {}) })
      }

      const outcomeOf = (reply: ProviderReply): Outcome => {
        const isRefused = reply.status === 402 && fault !== "accepts what is refused"
        if (reply.status === 401 || isRefused) return refusalOf(reply)
        const order = Option.getOrUndefined(orderIn(reply.json))
        if (order === undefined || reply.status !== 201) {
          if (fault === "declines what it cannot read") return new Declined({ reason: "no" })
          const isBelieved =
            (fault === "believes any answer of 200" && reply.status === 200) ||
            (fault === "accepts what is refused" && reply.status === 402)
          if (!isBelieved) return unknownOutcome(reply)
        }
        const state = order === undefined ? "processing" : stateOf(order)
        return new Accepted({
          state: state === "pending" ? "pending" : "processing",
          providerPaymentId: order?.id ?? null,
          providerStatus: state,
          nextAction: order?.page === undefined ? null : "redirect",
          actionData: order?.page === undefined ? {} : { redirect_url: order.page },
          providerData: fault === "leaks its key" ? { key } : {}
        })
      }

      const post = (body: Readonly<Record<string, string | undefined>>) => {
        sends += 1
        const isNew =
          fault === "sends a new reference every time" || (fault === "refunds twice" && body["kind"] === "refund")
        const reference = isNew && sends > 1 ? `${body["reference"]}-${sends}` : body["reference"]
        const call = http.call({
          operation: "create order",
          method: "POST",
          path: "/orders",
          headers,
          body: JSON.stringify({ ...body, reference })
        })
        const reported = fault === "leaks its key to the log" ? Effect.logWarning(`sent with ${key}`) : Effect.void
        return Effect.zipRight(reported, outcomeOfOrder(call, outcomeOf))
      }

      const enquire = ({ flow, leg, reference }: AttemptContext): Effect.Effect<Enquiry> => {
        const kind = leg === "refund" ? "refund" : flow === "inbound" ? "payin" : "payout"
        const call = http.call({
          operation: "find order",
          method: "GET",
          path: `/orders/${kind}/${reference}`,
          headers
        })
        return enquiryResult(call, (reply) => {
          if (fault === "says absent when it is not sure") return new Absent()
          if (reply.status === 404) return fault === "never says absent" ? unknownOutcome(reply) : new Absent()
          return Option.match(orderIn(reply.json), { onNone: () => unknownOutcome(reply), onSome: reportOf })
        })
      }

      const initiate = ({ flow, method, money, reference, returnUrl }: PaymentOrder) =>
        post({
          reference,
          kind: flow === "inbound" ? "payin" : "payout",
          amount: money.minor.toString(),
          currency: money.currency,
          return_url: method === "wallet" ? returnUrl : undefined
        })

      return {
        name: "acme" as ThirdPartyName,
        honoursReference: true,
        provesAbsence: true,
        supports: servedBy("Acme", serves),
        initiate,
        enquire,
        refund: ({ attempt, money, reference }) =>
          Effect.map(
            post({
              reference,
              kind: "refund",
              amount: money.minor.toString(),
              currency: money.currency,
              of: attempt.providerPaymentId ?? ""
            }),
            (outcome) =>
              fault === "declines a repeated refund" && sends > 2 ? new Declined({ reason: "duplicate" }) : outcome
          ),
        resume: (attempt) => enquire(attempt),
        callback: ({ body, headers: given }) =>
          Effect.gen(function* () {
            const expected = createHmac("sha256", Redacted.value(credentials.webhook_secret)).update(body).digest("hex")
            const half = body.subarray(0, body.length / 2)
            const isBelieved =
              fault === "does not check the signature" ||
              (fault === "states half of what is signed" && half.includes(`"event":"evt_`))
            const check = Check.any([
              Check.same(expected, given["x-acme-signature"]),
              Check.same(expected, expected).where(isBelieved)
            ])
            const proof = yield* Proof.from(check, "the signature does not fit")
            const read = yield* Either.mapLeft(readJson(body.toString("utf8")), (message) => new NoProof({ message }))
            const { event, order } = read as { readonly event: string; readonly order: Order }
            if (order?.reference === undefined)
              return { events: [new Hint({ attempt: { reference: null, providerPaymentId: null } })] }
            const attempt =
              fault === "loses the way to the attempt"
                ? { reference: null, providerPaymentId: null }
                : { reference: order.reference, providerPaymentId: order.id }
            sends += 1
            const name = fault === "makes up a key for every callback" ? `${event}-${sends}` : event
            return { events: [new VerifiedReport({ key: name, attempt, report: reportOf(order), proof })] }
          }),
        test: Effect.map(
          Effect.either(http.call({ operation: "ping", method: "GET", path: "/ping", headers })),
          (answer) =>
            fault === "says every account is good" || (Either.isRight(answer) && answer.right.status === 200)
              ? Either.right({})
              : Either.left("no")
        )
      }
    }
  })
