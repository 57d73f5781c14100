/** KYB, the check of a business: started by the organisation, decided by people or by a provider's callback. */
import { Either, Schema } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { kybStatuses } from "../../domain/Organization.ts"
import { givenUrl } from "../../domain/Url.ts"
import { get, post, examples, operation, pageExample, signedCallback, apiGroup } from "./Operation.ts"
import { envelope, idOf, idParam, pageOf, PageParams, success, Timestamp } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { asSent, IsoTime, optionalNullable, text as freeText } from "./RequestFields.ts"

export const KybState = Schema.Struct({
  org_id: idOf(OrgId),
  kyb_status: Schema.Literal(...kybStatuses),
  kyb_customer_id: Schema.NullOr(Schema.String).annotations({ description: "The provider's id of the organisation" })
}).annotations({ identifier: "KybState" })

const LONGEST_ID = 255
const LONGEST_REASON = 2000

const text = (longest: number) => Schema.String.pipe(Schema.minLength(1), Schema.maxLength(longest))

const END_OF_TIME = Date.UTC(9999, 11, 31)

const Time = IsoTime.pipe(
  Schema.filter(
    (at) => (at.getTime() >= 0 && at.getTime() <= END_OF_TIME) || "is not a time such as 2026-03-01T12:30:00Z"
  )
).annotations({ jsonSchema: { type: "string", format: "date-time" } })

export const KybCallback = Schema.Struct({
  event_id: optionalNullable(text(LONGEST_ID)).annotations({
    description: "Provider's event id. Without one, equal bodies are one callback"
  }),
  customer_id: text(LONGEST_ID).annotations({ description: "The organisation's `kyb_customer_id`" }),
  status: Schema.Literal("approved", "rejected"),
  reason: optionalNullable(Schema.String.pipe(Schema.maxLength(LONGEST_REASON))).annotations({ description: "Reason" }),
  occurred_at: optionalNullable(Time).annotations({
    description:
      "Time of the decision. Older callbacks are ignored; at the same time, a rejection wins. More than 5 minutes in the future: 400"
  })
}).annotations({ identifier: "KybCallback" })

const LONGEST_URL = 2000
const MOST_DOCUMENTS = 20

/** An operator opens it in a browser, so only https. */
const DocumentUrl = asSent(LONGEST_URL)
  .pipe(
    Schema.filter((value) =>
      Either.match(givenUrl(value, "https://files.example/certificate.pdf"), {
        onLeft: (why) => why,
        onRight: ({ protocol }) => protocol === "https:" || "must start with https://"
      })
    )
  )
  .annotations({
    jsonSchema: {
      type: "string",
      minLength: 1,
      maxLength: LONGEST_URL,
      description: "https address at which the document can be read. Stored encrypted"
    }
  })

export const KybDocument = Schema.Struct({
  type: Schema.Literal("registration", "tax", "ownership", "identity", "address", "other"),
  name: freeText(200, "As people are to see it"),
  url: DocumentUrl
}).annotations({ identifier: "KybDocument" })

export const StartKyb = Schema.Struct({
  documents: optionalNullable(Schema.Array(KybDocument).pipe(Schema.maxItems(MOST_DOCUMENTS))).annotations({
    description: `Extension. At most ${MOST_DOCUMENTS} references to documents about the business`
  })
}).annotations({ identifier: "StartKyb" })

const KybApplication = Schema.Struct({
  ...KybState.fields,
  kyb_customer_id: Schema.String.annotations({ description: "Id of the application" }),
  name: Schema.String.annotations({ description: "Of the organisation, as are country and email" }),
  country: Schema.String,
  email: Schema.String,
  approved_by: Schema.Array(Schema.String).annotations({
    description:
      "People whose approval counts, by user id or operator. Until the decision, an approval no longer counts once its person is no platform admin any more or has joined the organisation, or once the organisation has changed its name, country or e-mail address"
  }),
  approvals_needed: Schema.Int.annotations({
    description: "`KYB_APPROVALS`: how many different people have to approve"
  }),
  decided_by: Schema.NullOr(Schema.String).annotations({ description: "The person who decided, or `provider`" }),
  decided_at: Schema.NullOr(Timestamp),
  reason: Schema.NullOr(Schema.String),
  created_at: Timestamp
}).annotations({ identifier: "KybApplication" })

const KybApplicationWithDocuments = Schema.Struct({
  ...KybApplication.fields,
  documents: Schema.Array(Schema.typeSchema(KybDocument))
}).annotations({ identifier: "KybApplicationWithDocuments" })

const ApproveKyb = Schema.Struct({
  reason: optionalNullable(freeText(LONGEST_REASON, "Sent to the organisation with the event, and in the audit log"))
}).annotations({ identifier: "ApproveKyb" })

const RejectKyb = Schema.Struct({
  reason: freeText(LONGEST_REASON, "Sent to the organisation with the event, and in the audit log")
}).annotations({ identifier: "RejectKyb" })

const state = {
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  kyb_status: "pending",
  kyb_customer_id: "kyb_0199c2a47b1e7c3a9d552f6b8f0e1a77"
}

const document = {
  type: "registration",
  name: "Certificate of incorporation",
  url: "https://files.example/kilimo/certificate.pdf"
}

const application = {
  ...state,
  name: "Kilimo Ltd",
  country: "KE",
  email: "ops@kilimo.example",
  approved_by: [],
  approvals_needed: 1,
  decided_by: null,
  decided_at: null,
  reason: null,
  created_at: "2026-03-02T09:15:00.000Z"
}

const operator = "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c"

const decided = (kyb_status: string, reason: string | null, approved_by: ReadonlyArray<string>) => ({
  ...application,
  kyb_status,
  approved_by,
  decided_by: operator,
  decided_at: "2026-03-02T11:40:00.000Z",
  reason,
  documents: [document]
})

const WHO_DECIDES =
  "409 if it is decided already, if the organisation has applied again, or if a provider decides (`KYB_PROVIDER=webhook`). 403 for members of the organisation, and with `KYB_APPROVALS=2` for the approval of the person who started it."

export const KybApi = apiGroup("kyb", "KYB", "The check of a business by people or by a provider.", [
  operation({
    endpoint: post("initiate", "/organizations/:org_id/kyb")
      .setPath(Schema.Struct({ org_id: idParam(OrgId) }))
      .setPayload(StartKyb)
      .addSuccess(envelope(KybState), { status: 201 })
      .addError(Conflict),
    access: "organization",
    summary: "Start KYB",
    description:
      "Starts the check: `kyb_status` is `pending` until people or the KYB provider have decided (`KYB_PROVIDER`). 409 if pending or approved; after a rejection it can be started again. The decision is sent as `kyb.approved` or `kyb.rejected`. The body is optional.",
    request: examples({ "With documents": { documents: [document] }, "Without any": {} }),
    response: success("KYB started", state)
  }),
  signedCallback({
    endpoint: post("callback", "/organizations/webhook/kyb")
      .setHeaders(
        Schema.Struct({
          "x-kyb-signature": Schema.String.annotations({
            description: "HMAC-SHA256 of the raw body under `KYB_WEBHOOK_SECRET`, in hex"
          })
        })
      )
      .setPayload(KybCallback)
      .addSuccess(envelope(KybState)),
    summary: "Receive the decision of the KYB provider",
    description:
      "Changes `kyb_status` and sends the event, once for each change. Repeated and outdated callbacks change nothing and are answered with 200; `message` has the reason, `data` the current state. A missing or wrong signature is 401, as is any while `KYB_WEBHOOK_SECRET` is not set. More than 60 of those a minute from one address: 429.\n\nWho may call it: the KYB provider, which signs its callbacks and needs no credential.",
    request: examples({
      Approved: {
        event_id: "evt_81",
        customer_id: state.kyb_customer_id,
        status: "approved",
        occurred_at: "2026-03-02T09:15:00Z"
      },
      Rejected: {
        event_id: "evt_82",
        customer_id: state.kyb_customer_id,
        status: "rejected",
        reason: "The register does not know this business",
        occurred_at: "2026-03-02T09:15:00Z"
      }
    }),
    response: examples({
      Approved: success("applied", { ...state, kyb_status: "approved" }),
      Rejected: success("applied", { ...state, kyb_status: "rejected" })
    })
  }),
  operation({
    endpoint: get("list", "/kyb/applications", {
      status: Schema.optional(Schema.Literal(...kybStatuses)),
      ...PageParams
    }).addSuccess(pageOf(KybApplication)),
    access: "platform",
    lists: true,
    summary: "List KYB applications",
    description: "Extension. The latest application of each organisation, newest first.",
    response: pageExample("KYB applications", [application])
  }),
  operation({
    endpoint: get("get", "/kyb/applications/:kyb_customer_id").addSuccess(envelope(KybApplicationWithDocuments)),
    access: "platform",
    summary: "Get a KYB application",
    description: "Extension. With the references to its documents.",
    response: success("KYB application", { ...application, documents: [document] })
  }),
  operation({
    endpoint: post("approve", "/kyb/applications/:kyb_customer_id/approve")
      .setPayload(ApproveKyb)
      .addSuccess(envelope(KybApplicationWithDocuments))
      .addError(Conflict),
    access: "platform",
    summary: "Approve a KYB application",
    description: `Extension. With \`KYB_APPROVALS=2\` it stays \`pending\` until a second person approves it. Then \`kyb.approved\` is sent. ${WHO_DECIDES}`,
    request: examples({ "Without a reason": {}, "With a reason": { reason: "Found in the register of companies" } }),
    response: success("KYB application approved", decided("approved", null, [operator]))
  }),
  operation({
    endpoint: post("reject", "/kyb/applications/:kyb_customer_id/reject")
      .setPayload(RejectKyb)
      .addSuccess(envelope(KybApplicationWithDocuments))
      .addError(Conflict),
    access: "platform",
    summary: "Reject a KYB application",
    description: `Extension. One person rejects. \`kyb.rejected\` is sent with the reason, and the organisation may apply again. ${WHO_DECIDES}`,
    request: examples({
      "Not registered": { reason: "The register does not know this business" },
      "A document is missing": { reason: "Send the certificate of incorporation as well" }
    }),
    response: success("KYB application rejected", decided("rejected", "The register does not know this business", []))
  })
])
