/** Escrow: money held for milestones and paid to parties as each is reached. */
import { Schema } from "effect"
import { AccountId, BeneficiaryId, EscrowId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import { isDate } from "../../domain/CalendarDate.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, WireDecimal } from "../../domain/Decimal.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { splitTypes } from "../../domain/Split.ts"
import { get, post, put, AcceptsArray, examples, operation, apiGroup, pageExample } from "./Operation.ts"
import {
  envelope,
  Id,
  idOf,
  idParam,
  OrgParam,
  pageOf,
  PageParams,
  Timestamp,
  success,
  timestamps
} from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { AllProvidersFailed, NoRoute } from "./VirtualAccountsApi.ts"
import * as example from "./EscrowExamples.ts"
import { optionalOrNull, text } from "./RequestFields.ts"

const SplitType = Schema.Literal(...splitTypes).annotations({ description: "The same for all splits of a milestone" })

export const Milestone = Schema.Struct({
  milestone_id: Id,
  label: Schema.String,
  sequence: Schema.Int,
  expected_disbursement: WireDecimal,
  status: Schema.Literal("pending", "contract_submitted", "disbursed", "canceled"),
  disbursed_total: WireDecimal,
  description: Schema.NullOr(Schema.String),
  due_date: Schema.NullOr(Schema.String).annotations({ description: "As it was sent" }),
  contract_submitted_at: Schema.NullOr(Timestamp),
  disbursed_at: Schema.NullOr(Timestamp),
  parties: Schema.Array(Schema.Struct({ party_id: Id, split_type: SplitType, split_value: WireDecimal })),
  funding_status: Schema.Literal("unfunded", "partially_funded", "funded"),
  covered_amount: WireDecimal.annotations({ description: "Funded part. Milestones are funded in sequence" })
}).annotations({ identifier: "Milestone" })

export const Escrow = Schema.Struct({
  escrow_id: idOf(EscrowId),
  name: Schema.String,
  currency: CurrencyCode,
  account_id: idOf(AccountId).annotations({ description: "Funding account. Receives the rest" }),
  status: Schema.Literal("active", "completed", "canceled").annotations({
    description: "`completed` when every milestone is disbursed"
  }),
  total_amount: WireDecimal.annotations({ description: "Sum of all expected disbursements" }),
  funded_amount: WireDecimal.annotations({ description: "Funding less returns: disbursed and held money" }),
  disbursed_amount: WireDecimal,
  parties: Schema.Array(
    Schema.Struct({
      party_id: Id,
      name: Schema.String,
      beneficiary_id: Schema.NullOr(idOf(BeneficiaryId)),
      account_id: Schema.NullOr(idOf(AccountId)),
      email: Schema.NullOr(Schema.String),
      balance: WireDecimal.annotations({ description: "Extension. Disbursed to the party, not paid out yet" })
    })
  ),
  milestones: Schema.Array(Milestone).annotations({ description: "In their sequence" }),
  ...timestamps
}).annotations({ identifier: "Escrow" })

export const PartyPayout = Schema.Struct({
  escrow_id: idOf(EscrowId),
  party_id: Id,
  beneficiary_id: idOf(BeneficiaryId),
  amount: WireDecimal,
  currency: CurrencyCode,
  payment_id: idOf(PaymentId),
  transaction_id: idOf(TransactionId),
  status: Schema.Literal(...paymentStatuses)
}).annotations({ identifier: "PartyPayout" })

export const EscrowPayout = Schema.Struct({
  payout_id: Id,
  escrow_id: idOf(EscrowId),
  milestone_id: Schema.NullOr(Id).annotations({ description: "Null: requested directly, not by a disbursement" }),
  party_id: Id,
  beneficiary_id: idOf(BeneficiaryId),
  amount: WireDecimal.annotations({ description: "Upper limit for the payout and its fee" }),
  currency: CurrencyCode,
  status: Schema.Literal("waiting", "sent", "paid", "blocked", "closed").annotations({
    description:
      "`waiting`: not sent yet; `sent`: has a payment; `paid`: the payment is completed; `blocked`: could not be made or came back, in the operations queue; `closed`: no further attempts"
  }),
  reason: Schema.NullOr(Schema.String),
  payment_id: Schema.NullOr(idOf(PaymentId)).annotations({ description: "Last payment; null: none yet" }),
  ...timestamps
}).annotations({ identifier: "EscrowPayout" })

const MAX_ITEMS = 100

const listOf = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.Array(schema).pipe(
    Schema.minItems(1, { message: () => "must have at least one item" }),
    Schema.maxItems(MAX_ITEMS, { message: () => `must have at most ${MAX_ITEMS} items` })
  )

const LARGEST_SEQUENCE = 1_000_000

const Sequence = Schema.Number.pipe(
  Schema.filter(
    (n) =>
      (Number.isInteger(n) && n >= 0 && n <= LARGEST_SEQUENCE) || `must be a whole number from 0 to ${LARGEST_SEQUENCE}`
  )
).annotations({ jsonSchema: { type: "integer", minimum: 0, maximum: LARGEST_SEQUENCE } })

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

const isDueDate = (value: string): boolean =>
  isDate(value) || (moment.test(value) && isDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value)))

const DueDate = Schema.String.pipe(
  Schema.filter((value) => isDueDate(value) || "must be a day such as 2026-03-31, or an ISO 8601 time")
).annotations({ jsonSchema: { type: "string", examples: ["2026-03-31"] } })

export const CreateEscrow = Schema.Struct({
  name: text(200),
  currency: CurrencyCode,
  account_id: Schema.String.annotations({ description: "A virtual account of the organisation, in `currency`" }),
  parties: listOf(
    Schema.Struct({
      party_id: optionalOrNull(text(64)).annotations({
        description: "Your reference for the milestones of this request; the answer has the party's id"
      }),
      name: text(200, "Unique among the parties"),
      beneficiary_id: optionalOrNull(Schema.String).annotations({ description: "In `currency`. Paid by payout" }),
      account_id: optionalOrNull(Schema.String).annotations({
        description: "A virtual account of the organisation, in `currency`. Takes precedence over the beneficiary"
      }),
      email: optionalOrNull(EmailAddress)
    })
  ),
  milestones: listOf(
    Schema.Struct({
      label: text(200),
      sequence: Sequence,
      expected_disbursement: AmountInput,
      description: optionalOrNull(text(1000)),
      due_date: optionalOrNull(DueDate),
      parties: listOf(
        Schema.Struct({
          party_id: optionalOrNull(text(64)).annotations({ description: "Party of this request, by its reference" }),
          name: optionalOrNull(text(200)).annotations({ description: "Party of this request, if not by id" }),
          split_type: SplitType,
          split_value: AmountInput
        })
      )
    })
  ),
  org_id: OrgParam.org_id
}).annotations({ identifier: "CreateEscrow" })

const PartyUpdate = Schema.Struct({
  party_id: Schema.String,
  split_value: AmountInput
})

interface RawUpdate {
  readonly party_id: string
  readonly split_value: number
}

type UpdateForms = RawUpdate | ReadonlyArray<RawUpdate> | { readonly parties: ReadonlyArray<RawUpdate> }

const updateJson = {
  type: "object",
  required: ["party_id", "split_value"],
  properties: { party_id: { type: "string" }, split_value: { type: "number", exclusiveMinimum: 0 } }
}
const listJson = { type: "array", minItems: 1, maxItems: MAX_ITEMS, items: updateJson }
const formsJson = {
  oneOf: [{ type: "object", required: ["parties"], properties: { parties: listJson } }, updateJson, listJson]
}

const AnyForm = Schema.declare((input): input is UpdateForms => typeof input === "object" && input !== null, {
  message: () => "must be an object or an array",
  jsonSchema: formsJson
})

const wrapped = (input: UpdateForms): { readonly parties: ReadonlyArray<RawUpdate> } => {
  if (Array.isArray(input)) return { parties: input as ReadonlyArray<RawUpdate> }
  return "parties" in input ? input : { parties: [input as RawUpdate] }
}

/** Validates every form as `{parties}`, so errors name the position in `parties`. */
const ChangeParties = Schema.transform(AnyForm, Schema.Struct({ parties: listOf(PartyUpdate) }), {
  strict: true,
  decode: wrapped,
  encode: (wrapper) => wrapper
}).annotations({ identifier: "ChangeParties", jsonSchema: formsJson })

const PATH = "/virtual-accounts/escrow"
const PAYOUT = `${PATH}/:escrow_id/payouts/:payout_id` as const
const MILESTONE = `${PATH}/:escrow_id/milestones/:milestone_id` as const

export const EscrowApi = apiGroup(
  "escrow",
  "Escrow",
  "Money of a virtual account that is held for milestones and paid to parties as each is reached.",
  [
    operation({
      endpoint: post("create", PATH).setPayload(CreateEscrow).addSuccess(envelope(Escrow), { status: 201 }),
      access: "escrow",
      summary: "Create an escrow",
      description:
        "Percentages of a milestone add up to exactly 100, fixed splits to its expected disbursement. A party is paid to its virtual account, else to its beneficiary by payout. The share of a party with neither is held in a ledger account until it is paid out. No money moves yet.",
      request: examples({
        "Split by percentages": example.request,
        "Split by amounts, paid to a beneficiary": example.fixedRequest
      }),
      response: success("Escrow created", example.escrow)
    }),
    operation({
      endpoint: get("list", PATH, {
        status: Schema.optional(Escrow.fields.status),
        account_id: Schema.optional(
          idParam(AccountId).annotations({ description: "Only escrows funded by this account" })
        ),
        ...OrgParam,
        ...PageParams
      }).addSuccess(pageOf(Escrow)),
      access: "escrow",
      lists: true,
      summary: "List escrows",
      description: "Newest first.",
      response: pageExample("Escrows", [example.escrow])
    }),
    operation({
      endpoint: get("get", `${PATH}/:escrow_id`).addSuccess(envelope(Escrow)),
      access: "escrow",
      summary: "Get an escrow",
      description: "One escrow of the organisation, with its parties and milestones.",
      response: examples({
        New: success("Escrow", example.escrow),
        "Funded in part": success("Escrow", example.funded),
        Canceled: success("Escrow", example.canceled)
      })
    }),
    operation({
      endpoint: post("fund", `${PATH}/:escrow_id/fund`)
        .setPayload(Schema.Struct({ amount: AmountInput }).annotations({ identifier: "FundEscrow" }))
        .addSuccess(envelope(Escrow))
        .addError(Conflict),
      access: "escrow",
      movesMoney: true,
      summary: "Fund an escrow",
      description:
        "Moves the amount from the escrow's virtual account and sends `virtual_account.withdrawal`. More than the unfunded rest: 400. A frozen account, insufficient funds, or an escrow that has ended: 409.",
      request: examples({ "A part": { amount: 6000 }, "All that is missing": { amount: 10000 } }),
      response: success("Escrow funded", example.funded)
    }),
    operation({
      endpoint: post("contract", `${MILESTONE}/contract`)
        .setPayload(
          Schema.Struct({ reference: optionalOrNull(text(255)) }).annotations({ identifier: "SubmitContract" })
        )
        .addSuccess(envelope(Milestone))
        .addError(Conflict),
      access: "escrow",
      summary: "Submit the contract of a milestone",
      description:
        "Records the contract; the reference is saved with it and in the audit log. A repetition replaces it. Optional for a disbursement. A disbursed or canceled milestone: 409.",
      request: examples({ "With its reference": { reference: "contract-2026-17" }, "Without one": {} }),
      response: success("Contract submitted", example.contracted)
    }),
    operation({
      endpoint: put("parties", `${MILESTONE}/parties`)
        .setPayload(ChangeParties)
        .addSuccess(envelope(Milestone))
        .addError(Conflict)
        .annotate(AcceptsArray, true),
      access: "escrow",
      summary: "Update party splits of a milestone",
      description:
        "Sets new split values; parties that are not named keep theirs. The body is `{parties: […]}`, one update object, or an array of them. All splits must add up to exactly 100 percent, or to the expected disbursement; otherwise 400. An unknown escrow, milestone or party: 404. A disbursed or canceled milestone: 409.",
      request: examples({
        "Several, in a wrapper": example.splitUpdates,
        "Several, as a bare array": example.splitUpdates.parties,
        One: example.splitUpdates.parties[0]
      }),
      response: success("Party splits updated", example.resplit)
    }),
    operation({
      endpoint: post("disburse", `${MILESTONE}/disburse`)
        .setPayload(
          Schema.Struct({
            description: optionalOrNull(text(500)).annotations({
              description: "Extension. Text of the transactions and payouts; default: names of escrow and milestone"
            })
          }).annotations({ identifier: "DisburseMilestone" })
        )
        .addSuccess(envelope(Milestone))
        .addError(Conflict),
      access: "escrow",
      movesMoney: true,
      summary: "Disburse a milestone",
      description:
        "Splits the expected disbursement among the parties, exact to the minor unit (largest remainder). Each share goes to the party's virtual account at once (`virtual_account.deposit`), else to its beneficiary by payout, else to a ledger account of the party. Payouts are committed with the disbursement and sent by a worker, exactly once. If a payout cannot be made, the money stays with the party and the payout is in the operations queue (`escrow_payout`), to retry or resolve. A milestone that is not fully funded, disbursed or canceled: 409.",
      request: examples({ "In words of your own": { description: "Foundation is laid" }, "By its names": {} }),
      response: success("Milestone disbursed", example.disbursed)
    }),
    operation({
      endpoint: post("payout", `${PATH}/:escrow_id/parties/:party_id/payout`)
        .setPayload(
          Schema.Struct({
            beneficiary_id: optionalOrNull(Schema.String).annotations({
              description: "In the escrow's currency; default: the party's own beneficiary"
            })
          }).annotations({ identifier: "PayOutParty" })
        )
        .addSuccess(envelope(PartyPayout))
        .addError(Conflict)
        .addError(NoRoute)
        .addError(AllProvidersFailed),
      access: "escrow",
      movesMoney: true,
      summary: "Pay a party out",
      description:
        "Pays the party's `balance` to a beneficiary, without amounts of payouts in progress and less the organisation's payout fee. No balance: 409. If the payout fails, the money returns to the party.",
      request: examples({
        "To a beneficiary": { beneficiary_id: example.beneficiaryId },
        "To the party's own": {}
      }),
      response: success("Party payout initiated", example.payout)
    }),
    operation({
      endpoint: post("retryPayout", `${PAYOUT}/retry`).addSuccess(envelope(EscrowPayout)).addError(Conflict),
      access: "escrow",
      movesMoney: true,
      summary: "Try a payout to a party again",
      description:
        "Extension. Retries a `blocked` payout, as a new payment of the same initiator. The answer is `waiting`; a worker sends it at once, and blocks it again if it cannot be sent. A payout that is not blocked: 409.",
      response: success("Payout tried again", example.retriedPayout)
    }),
    operation({
      endpoint: post("resolvePayout", `${PAYOUT}/resolve`)
        .setPayload(Schema.Struct({ reason: text(500) }).annotations({ identifier: "ResolvePayout" }))
        .addSuccess(envelope(EscrowPayout))
        .addError(Conflict),
      access: "escrow",
      summary: "Resolve a payout to a party",
      description:
        "Extension. Closes a `blocked` payout: no further attempts. The money stays with the party and can be paid out by `…/parties/{party_id}/payout`, which also closes the party's blocked payouts. The reason is saved with the payout and in the audit log. A payout that is not blocked: 409.",
      request: examples({
        "Paid in another way": { reason: "Paid in cash on site" },
        "No longer due": { reason: "The party has left the project" }
      }),
      response: success("Payout resolved", example.resolvedPayout)
    }),
    operation({
      endpoint: post("cancel", `${PATH}/:escrow_id/cancel`)
        .setPayload(Schema.Struct({ reason: optionalOrNull(text(500)) }).annotations({ identifier: "CancelEscrow" }))
        .addSuccess(envelope(Escrow))
        .addError(Conflict),
      access: "escrow",
      movesMoney: true,
      summary: "Cancel an escrow",
      description:
        "Returns the undisbursed money to the escrow's account (`virtual_account.deposit`) and cancels the other milestones. Disbursed money stays with the parties. A canceled or completed escrow: 409.",
      request: examples({ "With a reason": { reason: "The project was called off" }, "Without one": {} }),
      response: success("Escrow canceled", example.canceled)
    })
  ]
)
