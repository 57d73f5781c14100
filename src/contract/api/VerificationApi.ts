/** Verification requests: e-mails that ask a person in a transaction to verify their identity. */
import { Schema } from "effect"
import { OrgId, TransactionId, UserId } from "../../domain/Ids.ts"
import { holdsLink } from "../../domain/MailSafeText.ts"
import { get, patch, post, examples, operation, apiGroup, pageExample, exampleTimes } from "./Operation.ts"
import { envelope, Id, idOf, idParam, OrgParam, pageOf, PageParams, success, timestamps } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { asSent } from "./RequestFields.ts"

const VerificationType = Schema.Literal("bvn", "nin").annotations({
  description: "Bank Verification Number or National Identification Number; neither is ever sent or stored here"
})
const TargetType = Schema.Literal("beneficiary", "sender", "both")
const Target = Schema.Literal("beneficiary", "sender")
const Priority = Schema.Literal("low", "medium", "high", "urgent")
const RequestStatus = Schema.Literal("pending", "approved", "rejected", "failed")

const LONGEST_ID = 100
const LONGEST_TRIGGER = 200
const LONGEST_MESSAGE = 2000

/** BVN and NIN have 11 digits. They must not be stored. */
const identityNumber = /(?<![0-9A-Za-z])\d{11}(?![0-9A-Za-z])/

const withoutNumber = (longest: number) =>
  asSent(longest).pipe(
    Schema.filter(
      (value) => !identityNumber.test(value) || "holds a number of 11 digits, as a BVN or NIN is: leave it out"
    )
  )

/** Stored with the request, also when no user has this id. */
const givenId = (described: { readonly description?: string } = {}) =>
  withoutNumber(LONGEST_ID).annotations({
    jsonSchema: { type: "string", minLength: 1, maxLength: LONGEST_ID, ...described }
  })

/** Without links: recipients trust the message. */
const withoutLink = (schema: Schema.Schema<string>) =>
  schema.pipe(Schema.filter((value) => !holdsLink(value) || "holds a link, an address or a domain name: leave it out"))

const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optional(Schema.NullOr(schema).annotations({ description }))

export const RequestVerification = Schema.Struct({
  user_id: givenId({ description: "The user who asks: the sender of the transaction" }),
  target_type: TargetType.annotations({ description: "Who is to be verified" }),
  transaction_id: givenId({ description: "A transaction of the organisation" }),
  verification_type: VerificationType,
  triggered_by: withoutNumber(LONGEST_TRIGGER).annotations({
    jsonSchema: { description: "Reason, in your own words" }
  }),
  beneficiary_id: optional(givenId(), "Required when `target_type` is `beneficiary` or `both`"),
  sender_id: optional(givenId(), "A user of the organisation; required when `target_type` is `sender` or `both`"),
  message: optional(
    withoutLink(withoutNumber(LONGEST_MESSAGE)),
    "Your own words to them, quoted below ours. A link or an address in it is 400"
  ),
  priority: Schema.optionalWith(Priority, { nullable: true, default: () => "high" }).annotations({
    jsonSchema: { type: "string", enum: Priority.literals, default: "high" }
  }),
  org_id: OrgParam.org_id
}).annotations({ identifier: "RequestVerification" })

const Result = Schema.Struct({
  target: Target,
  message: Schema.String,
  user_id: Schema.String.annotations({ description: "Id of the sender or beneficiary to notify" }),
  request_id: Id,
  status: RequestStatus.annotations({ description: "Of the request: `pending`, or `failed` if it was not delivered" }),
  success: Schema.Boolean
})

export const VerificationAnswer = Schema.Struct({
  message: Schema.String,
  target_type: TargetType,
  verification_type: VerificationType,
  transaction_id: idOf(TransactionId),
  request_id: Schema.NullOr(Id).annotations({ description: "Extension. Null if `target_type` is `both`" }),
  results: Schema.optionalWith(Schema.Array(Result), { exact: true }).annotations({
    description: "Present when `target_type` is `both`"
  }),
  all_success: Schema.Boolean.annotations({ description: "true only when every notification was dispatched" })
}).annotations({ identifier: "VerificationAnswer" })

export const VerificationRequest = Schema.Struct({
  request_id: Id,
  org_id: idOf(OrgId),
  requested_by: idOf(UserId).annotations({ description: "`user_id` of the request" }),
  target: Target,
  user_id: Schema.String.annotations({ description: "Id of the sender or beneficiary" }),
  transaction_id: idOf(TransactionId),
  verification_type: VerificationType,
  triggered_by: Schema.String,
  priority: Priority,
  status: RequestStatus,
  ...timestamps
}).annotations({ identifier: "VerificationRequest" })

export const CloseVerification = Schema.Struct({ status: Schema.Literal("approved", "rejected") }).annotations({
  identifier: "CloseVerification"
})

const sender = "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c"
const beneficiary = "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"
const transaction = "0199c2a4-9c40-7d15-8f3b-1a2b3c4d5e6f"

const example = {
  request_id: "0199c2a4-ae50-7b21-9c4d-3e5f60718293",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  requested_by: sender,
  target: "sender",
  user_id: sender,
  transaction_id: transaction,
  verification_type: "bvn",
  triggered_by: "compliance review",
  priority: "high",
  status: "pending",
  ...exampleTimes
}

const answer = {
  target_type: "both",
  verification_type: "bvn",
  transaction_id: transaction,
  request_id: null
}

const reached = {
  target: "sender",
  message: "Verification request sent.",
  user_id: sender,
  request_id: example.request_id,
  status: "pending",
  success: true
}

const other = {
  ...reached,
  target: "beneficiary",
  user_id: beneficiary,
  request_id: "0199c2a4-ae51-7d02-8a7b-6c5d4e3f2a1b"
}

export const VerificationApi = apiGroup(
  "verification",
  "Verification",
  "People in a transaction are asked to verify who they are.",
  [
    operation({
      endpoint: post("request", "/users/notifications/verification-request")
        .setPayload(RequestVerification)
        .addSuccess(VerificationAnswer)
        .addSuccess(VerificationAnswer, { status: 207 }),
      access: "verification",
      summary: "Request a verification",
      description:
        "Asks the sender, the beneficiary or both by e-mail to verify their identity. A target that cannot be found or reached: 404; with `both` a failed result, 207 and `all_success: false`. The same applies beyond the limits (for each address 20 e-mails an hour of one organisation and 60 of all; 300 for each organisation), with 429 for a single target. The request is `pending` until it is closed.",
      request: examples({
        Both: {
          user_id: sender,
          target_type: "both",
          transaction_id: transaction,
          verification_type: "bvn",
          triggered_by: "compliance review",
          beneficiary_id: beneficiary,
          sender_id: sender,
          priority: "high"
        },
        "The sender, in words of your own": {
          user_id: sender,
          target_type: "sender",
          transaction_id: transaction,
          verification_type: "nin",
          triggered_by: "a large payout",
          sender_id: sender,
          message: "We ask everybody who sends more than a million."
        }
      }),
      responses: {
        200: examples({
          Both: { message: "Verification requests sent.", ...answer, results: [other, reached], all_success: true },
          "One alone": {
            message: "Verification request sent.",
            ...answer,
            target_type: "sender",
            request_id: example.request_id,
            all_success: true
          }
        }),
        207: {
          message: "Some recipients could not be notified.",
          ...answer,
          results: [
            { ...other, message: "The beneficiary has no e-mail address.", status: "failed", success: false },
            reached
          ],
          all_success: false
        }
      }
    }),
    operation({
      endpoint: get("list", "/users/verification-requests", {
        status: Schema.optional(RequestStatus),
        transaction_id: Schema.optional(
          idParam(TransactionId).annotations({ description: "Only those about this transaction" })
        ),
        ...OrgParam,
        ...PageParams
      }).addSuccess(pageOf(VerificationRequest)),
      access: "verification",
      lists: true,
      summary: "List verification requests",
      description: "Extension. Newest first, including those that were not delivered.",
      response: pageExample("Verification requests", [example])
    }),
    operation({
      endpoint: get("get", "/users/verification-requests/:request_id").addSuccess(envelope(VerificationRequest)),
      access: "verification",
      summary: "Get a verification request",
      description: "Extension. One request of the organisation.",
      response: success("Verification request", example)
    }),
    operation({
      endpoint: patch("close", "/users/verification-requests/:request_id")
        .setPayload(CloseVerification)
        .addSuccess(envelope(VerificationRequest))
        .addError(Conflict),
      access: "verification",
      summary: "Close a verification request",
      description:
        "Extension. 409 if it is already closed or was not delivered. Sends `kyc.approved` or `kyc.rejected` with `user_id`, `request_id`, `verification_type` and `status`.",
      request: examples({ Approved: { status: "approved" }, Rejected: { status: "rejected" } }),
      response: success("Verification request closed", {
        ...example,
        status: "approved",
        updated_at: "2026-03-02T10:40:00.000Z"
      })
    })
  ]
)
