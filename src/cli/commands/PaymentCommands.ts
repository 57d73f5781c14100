/** `corridor queue` and `payments`. */
import { Effect, Either, Option, Schema } from "effect"
import { flows } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { call, callAll, orNotFound, type Refused } from "../shared/ApiClient.ts"
import { argument, choice, commandOn, maybe, option, optional, withDefault } from "../shared/Command.ts"
import { amountIn, decodeInput, decodeOption, givenFields, Reason, refuse, wireNumber } from "../shared/CommandInput.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { decisionsText, paymentTable, paymentText, queueTable, searchedTable, summaryText } from "./PaymentText.ts"

const command = commandOn("payments")
const settlementCommand = commandOn("settlements")

const CANDIDATES = 10

const findByReference = Effect.fnUntraced(function* (given: string) {
  const { data } = yield* call("payments", "transactions", {
    urlParams: { reference: given, limit: CANDIDATES + 1 }
  })
  const [payment, ...others] = data
  if (payment === undefined) return yield* refuse(`There is no payment with this id or reference: ${given}.`)
  if (others.length === 0) return payment
  const ids = data.slice(0, CANDIDATES).map(({ payment_id }) => payment_id)
  const more = data.length > CANDIDATES ? " and others" : ""
  return yield* refuse(`${given} matches several payments, write more of it: ${ids.join(", ")}${more}.`)
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isNotFound = ({ status }: Refused): boolean => status === 404

/** A whole id needs no right to list payments. */
const findPayment = (given: string) =>
  UUID.test(given)
    ? call("payments", "byId", { path: { payment_id: given } }).pipe(
        Effect.catchIf(isNotFound, () => call("payments", "byTransaction", { path: { transaction_id: given } })),
        Effect.catchIf(isNotFound, () => findByReference(given))
      )
    : findByReference(given)

const noSuchPayment = (given: string) => orNotFound(`There is no payment with the id ${given}.`)

const typedText = Schema.optionalWith(Schema.NonEmptyString, { exact: true })

const Filter = Schema.Struct({
  reference: typedText,
  search: typedText,
  org: typedText,
  limit: Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100)).annotations({
    message: () => ({ message: "is not a whole number from 1 to 100", override: true })
  })
})

const amountFrom = (text: string, expected: string) =>
  Either.match(amountIn(text, expected), {
    onLeft: (why) => refuse(`--amount ${why}.`),
    onRight: (amount) => Effect.succeed(wireNumber(amount))
  })

const paymentId = argument("ID", "The payment's id.")

export const paymentCommands = [
  command(
    "queue",
    "List items that need a decision: unknown outcomes, money in suspense, reviews, dead letters, disabled endpoints, blocked escrow payouts.",
    {
      examples: ["corridor queue", "corridor queue --org ORG --json"],
      takes: { org: optional("org", "ORG", "Only this organisation's.") },
      *run({ org }) {
        const data = yield* callAll("payments", "queue", { urlParams: { org_id: Option.getOrUndefined(org) } })
        return { data, ...queueTable(data) }
      }
    }
  ),
  command("payments list", "List payments, newest first.", {
    examples: ["corridor payments list --status pending", 'corridor payments list --search "1,500.00 KES"'],
    takes: {
      status: maybe(choice("status", paymentStatuses, "Only those in this state.")),
      direction: maybe(choice("direction", flows, "Only payins, only payouts or only ramps.")),
      reference: optional("reference", "TEXT", "A client_reference, or the beginning of an id."),
      search: optional(
        "search",
        "TEXT",
        "An amount, a name, a card's last four digits, part of a reference, an id, an e-mail address or a phone number."
      ),
      org: optional("org", "ORG", "Only this organisation's."),
      limit: withDefault("20", option("limit", "N", "How many at most: 1 to 100, 20 by default."))
    },
    check: ({ limit, org, reference, search }) =>
      decodeInput(Filter, { limit, ...givenFields({ reference, search, org }) } as typeof Filter.Encoded),
    *run(input, { org, ...filter }) {
      const [status, direction] = [Option.getOrUndefined(input.status), Option.getOrUndefined(input.direction)]
      const urlParams = { ...filter, status, direction, org_id: org }
      const { data, meta } = yield* call("payments", "transactions", { urlParams })
      const searchedTo = meta.has_more ? meta.searched_to : undefined
      return { data, ...searchedTable(paymentTable(data), searchedTo) }
    }
  }),
  command("payments show", "Show a payment and everything that happened to it.", {
    examples: ["corridor payments show order-1042"],
    takes: {
      id: argument("ID", "The payment's id or its transaction's, the beginning of either, or its client_reference.")
    },
    check: ({ id }) => decodeOption("ID", Schema.NonEmptyString, id),
    *run({ id }) {
      const payment = yield* findPayment(id)
      const { data } = yield* call("payments", "timeline", { path: { payment_id: payment.payment_id } })
      return { data: { ...payment, timeline: data.items }, ...paymentText(payment, data.items) }
    }
  }),
  settlementCommand(
    "payments resolve",
    "Resolve by hand an unknown outcome, a payment of the manual simulator, or money in suspense; without --as list the possible decisions and their effects. Audited; look it up at the provider first.",
    {
      examples: [
        'corridor payments resolve PAYMENT_ID --as completed --reason "Seen on the statement of 3 March"',
        "corridor payments resolve PAYMENT_ID"
      ],
      takes: {
        id: paymentId,
        as: maybe(
          choice(
            "as",
            ["completed", "failed"],
            "The decision; without it the decisions are listed, each with its command."
          )
        ),
        reason: optional(
          "reason",
          "TEXT",
          "The evidence; saved with the payment, in its history and in the audit log."
        ),
        item: optional(
          "item",
          "ITEM",
          "Which item of the payment it is about, as `queue --json` has it; needed where several wait that differ."
        ),
        amount: optional("amount", "AMOUNT", "How much of money that waits it is about; all of it by default."),
        movement: optional(
          "movement",
          "ID",
          "The provider's own id of the transfer that you state, as its dashboard shows it."
        )
      },
      check: ({ amount, as, item, movement, reason }) =>
        Effect.gen(function* () {
          if (Option.isNone(as)) {
            if (Option.isSome(reason)) return yield* refuse("--as: say completed or failed, or leave --reason out.")
            return undefined
          }
          if (Option.isNone(reason)) return yield* refuse("--reason: is required with --as. State the evidence.")
          const said = yield* decodeOption("--reason", Reason, reason.value)
          const part = yield* Effect.transposeMapOption(amount, (text) =>
            amountFrom(text, "a decimal number such as 500.00")
          )
          return {
            outcome: as.value,
            reason: said,
            ...givenFields({ item_id: item, movement_id: movement, amount: part })
          }
        }),
      *run({ id, item }, payload) {
        const path = { payment_id: id }
        if (payload === undefined) {
          const { data } = yield* noSuchPayment(id)(call("resolutions", "decisions", { path }))
          const items = data.items.filter(({ item_id }) => Option.isNone(item) || item_id === item.value)
          return { data: items, text: decisionsText(id, items) }
        }
        const data = yield* noSuchPayment(id)(call("resolutions", "resolve", { path, payload }))
        return { data, text: `Settled by hand.\n${summaryText(data)}` }
      }
    }
  ),
  settlementCommand(
    "payments refund",
    "Return money in suspense to its payer through the provider that took it. Audited; repeating it never sends it twice.",
    {
      examples: [
        'corridor payments refund PAYMENT_ID --reason "Paid twice by mistake"',
        'corridor payments refund PAYMENT_ID --amount 500.00 --reason "One cup was broken" --url URL --token JWT'
      ],
      takes: {
        id: paymentId,
        reason: option("reason", "TEXT", "Why it goes back; saved with the payment and in the audit log."),
        amount: optional(
          "amount",
          "AMOUNT",
          "By API only: so much of a completed payin goes back to its payer, in your own name; all for what is left of it."
        ),
        item: optional(
          "item",
          "ITEM",
          "Which item of the payment goes back, as `queue --json` has it; needed where money of several waits."
        )
      },
      check: ({ amount, item, reason: given }) =>
        Effect.gen(function* () {
          if (Option.isSome(amount) && (yield* isLocal)) {
            return yield* refuse(
              "--amount: a payer is refunded by API, in a person's own name: add --url and --token (or --api-key)."
            )
          }
          const reason = yield* decodeOption("--reason", Reason, given)
          if (Option.isNone(amount)) return { reason }
          if (Option.isSome(item)) {
            return yield* refuse("--item cannot be combined with --amount: a refund of the payer belongs to no item.")
          }
          const part =
            amount.value === "all"
              ? {}
              : { amount: yield* amountFrom(amount.value, "a decimal number such as 500.00, or all") }
          return { reason, ...part }
        }),
      *run({ amount, id, item }, terms) {
        const path = { payment_id: id }
        if (Option.isNone(amount)) {
          const payload = { reason: terms.reason, ...givenFields({ item_id: item }) }
          const data = yield* noSuchPayment(id)(call("resolutions", "giveBack", { path, payload }))
          return { data, text: `Returned.\n${summaryText(data)}` }
        }
        // A completed payin goes back to its payer, in whole or in part.
        yield* call("paymentsInit", "action", { path, payload: { action: "refund" as const, ...terms } })
        const data = yield* call("payments", "byId", { path })
        return { data, text: `The refund is under way.\n${summaryText(data)}` }
      }
    }
  )
]
