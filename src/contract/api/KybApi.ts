/** KYB, the check of a business: started by the organisation, decided by its provider's callback. */
import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { envelope, idOf, idParam, success } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { IsoTime, optionalNullable } from "./RequestFields.ts"
import { examples, operation, signedCallback, apiGroup } from "./Operation.ts"

export const KybState = Schema.Struct({
  org_id: idOf(OrgId),
  kyb_status: Schema.Literal("not_started", "pending", "approved", "rejected"),
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

const state = {
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  kyb_status: "pending",
  kyb_customer_id: "kyb_0199c2a47b1e7c3a9d552f6b8f0e1a77"
}

export const KybApi = apiGroup("kyb", "KYB", "The check of a business by a provider.")
  .add(
    operation({
      endpoint: HttpApiEndpoint.post("initiate", "/organizations/:org_id/kyb")
        .setPath(Schema.Struct({ org_id: idParam(OrgId) }))
        .addSuccess(envelope(KybState), { status: 201 })
        .addError(Conflict),
      access: "organization",
      summary: "Start KYB",
      description:
        "Starts the check at the KYB provider: `kyb_status` is `pending` until its callback. 409 if pending or approved; after a rejection it can be started again. The decision is sent as `kyb.approved` or `kyb.rejected`.",
      response: success("KYB started", state)
    })
  )
  .add(
    signedCallback({
      endpoint: HttpApiEndpoint.post("callback", "/organizations/webhook/kyb")
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
    })
  )
