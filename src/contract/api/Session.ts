/** Who a credential is, and what it may do: what a console or a back office asks first. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { type Access, accessTable, roles } from "../../domain/Access.ts"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { envelope, idOf, OrgParam } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import { examples, operation } from "./Operation.ts"

const accesses = Object.keys(accessTable) as [Access, ...Array<Access>]

export const Session = Schema.Struct({
  credential: Schema.Literal("user", "api_key"),
  user_id: Schema.NullOr(idOf(UserId)).annotations({ description: "Of the person; of a key, whom it belongs to" }),
  email: Schema.NullOr(Schema.String),
  role: Schema.Literal(...roles, "admin"),
  access: Schema.Array(Schema.Literal(...accesses)).annotations({
    description: "What it may do, in the words that permissions and roles are described by at each operation"
  }),
  organization: Schema.NullOr(
    Schema.Struct({
      org_id: idOf(OrgId),
      name: Schema.String,
      country: Schema.String,
      currency: Schema.String,
      features: Schema.Array(Schema.String)
    })
  ).annotations({ description: "null: a platform admin who named none" }),
  mode: Schema.Literal("sandbox", "live")
}).annotations({ identifier: "Session" })

const person = {
  credential: "user",
  user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  email: "ada@acme.example",
  role: "staff",
  access: ["any", "payouts", "transactions", "refunds", "reviews", "operations"],
  organization: {
    org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
    name: "Acme Pay",
    country: "KE",
    currency: "KES",
    features: ["escrow"]
  },
  mode: "sandbox"
}

export const SessionApi = HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("me", "/users/me")
      .setUrlParams(Schema.Struct(OrgParam))
      .addSuccess(envelope(Session))
      .addError(NotFound)
      .pipe(
        operation({
          access: "any",
          summary: "See who you are",
          description:
            "Extension. The person or key behind the credential, its organisation, and what it may do there at this moment.",
          response: examples({
            "A person": { status: "success", message: "Session", data: person },
            "An API key": { status: "success", message: "Session", data: { ...person, credential: "api_key" } },
            "A platform admin": {
              status: "success",
              message: "Session",
              data: { ...person, email: "ops@corridor.example", role: "admin", access: accesses, organization: null }
            }
          })
        })
      )
  )
  .annotate(OpenApi.Title, "Session")
  .annotate(OpenApi.Description, "Who a credential is, and what it may do.")
