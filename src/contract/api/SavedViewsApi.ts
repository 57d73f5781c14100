/** Saved views: filters of the list of transactions under a name, shared in an organisation. */
import { HttpApiSchema } from "@effect/platform"
import { Either, Schema } from "effect"
import { Flow, PaymentMethod } from "../../domain/Corridor.ts"
import { OrgId, UserId, ViewId } from "../../domain/Ids.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { del, get, patch, post, apiGroup, examples, exampleTimes, operation } from "./Operation.ts"
import { envelope, idOf, optionalExact, OrgParam, success, timestamps } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { SearchText } from "./PaymentsApi.ts"
import { credentialFields, FromTime, text } from "./RequestFields.ts"

const isTime = Schema.decodeEither(FromTime)

/** Stored as sent: a date stays a date. */
const DateOrTime = Schema.String.pipe(
  Schema.filter((value) => Either.isRight(isTime(value)) || "must be a date or time in ISO 8601, such as 2026-03-02")
).annotations({
  jsonSchema: { type: "string", description: "A date, or an ISO 8601 time with its offset", examples: ["2026-03-02"] }
})

const ViewFilters = Schema.Struct({
  search: optionalExact(SearchText),
  status: optionalExact(Schema.Literal(...paymentStatuses)),
  direction: optionalExact(Flow),
  payment_method: optionalExact(PaymentMethod),
  from: optionalExact(DateOrTime),
  to: optionalExact(DateOrTime)
}).annotations({ identifier: "ViewFilters", description: "Query parameters of `GET /transactions`" })

export const SavedView = Schema.Struct({
  view_id: idOf(ViewId),
  org_id: idOf(OrgId),
  name: Schema.String,
  filters: ViewFilters,
  created_by: Schema.NullOr(idOf(UserId)).annotations({ description: "Null: an operator of the service" }),
  ...timestamps
}).annotations({ identifier: "SavedView" })

const LONGEST_NAME = 80

const ViewName = text(LONGEST_NAME, "Unique in the organisation")

const CreateView = Schema.Struct({ name: ViewName, filters: ViewFilters, ...credentialFields })
const ChangeView = Schema.Struct({ name: optionalExact(ViewName), filters: optionalExact(ViewFilters) })

const example = {
  view_id: "0199c2a6-3c50-7d10-9c20-3a4b5c6d7e8f",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  name: "Failed payouts",
  filters: { status: "failed", direction: "outbound" },
  created_by: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  ...exampleTimes
}

export const SavedViewsApi = apiGroup("savedViews", "Saved views", "Named filters of the list of transactions.", [
  operation({
    endpoint: get("list", "/saved-views", OrgParam).addSuccess(envelope(Schema.Array(SavedView))),
    access: "transactions",
    lists: true,
    summary: "List saved views",
    description: "Extension. All views of the organisation, by name. Platform admins name the organisation.",
    response: success("Saved views", [example])
  }),
  operation({
    endpoint: post("create", "/saved-views")
      .setPayload(CreateView)
      .addSuccess(envelope(SavedView), { status: 201 })
      .addError(Conflict),
    access: "saved_views",
    summary: "Save a view",
    description:
      "Extension. Everybody in the organisation who may list transactions sees it, and may change and delete it. At most 100; a name that is taken is 409. Audited.",
    request: examples({
      "Failed payouts": { name: "Failed payouts", filters: example.filters },
      "One customer": { name: "Wanjiru Kamau", filters: { search: "wanjiru@example.com" } }
    }),
    response: success("View saved", example)
  }),
  operation({
    endpoint: patch("change", "/saved-views/:view_id")
      .setPayload(ChangeView)
      .addSuccess(envelope(SavedView))
      .addError(Conflict),
    access: "saved_views",
    summary: "Rename or change a view",
    description: "Extension. `filters` replaces all of them. Audited.",
    request: examples({
      "Another name": { name: "Failed payouts of suppliers" },
      "Other filters": { filters: { status: "failed" } }
    }),
    response: success("View changed", { ...example, name: "Failed payouts of suppliers" })
  }),
  operation({
    endpoint: del("remove", "/saved-views/:view_id").addSuccess(HttpApiSchema.NoContent),
    access: "saved_views",
    summary: "Delete a view",
    description: "Extension. Audited."
  })
])
