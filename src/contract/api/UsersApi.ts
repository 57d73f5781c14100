/** Users: the people behind an organisation's tokens and keys. */
import { Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { RoleName, type Access, accessTable, roles } from "../../domain/Access.ts"
import { get, operation, examples, apiGroup, exampleTimes, pageExample } from "./Operation.ts"
import { idOf, OrgParam, pageOf, PageParams, envelope, success, timestamps } from "./Envelope.ts"

export const User = Schema.Struct({
  user_id: idOf(UserId),
  org_id: Schema.NullOr(idOf(OrgId)),
  email: Schema.String,
  role: Schema.NullOr(RoleName).annotations({ description: "Null, like `org_id`, in lists of all users" }),
  country: Schema.NullOr(Schema.String),
  ...timestamps
}).annotations({ identifier: "User" })

export const UsersApi = apiGroup("users", "Users", "The people behind an organisation's tokens and keys.", [
  operation({
    endpoint: get("list", "/users/list", { ...OrgParam, ...PageParams }).addSuccess(pageOf(User)),
    access: "operations",
    lists: true,
    summary: "List users",
    description: "The users of the organisation, newest first. A platform admin who names none gets everybody.",
    response: pageExample("Users", [
      {
        user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
        org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
        email: "ada@acme.example",
        role: "staff",
        country: "KE",
        ...exampleTimes
      }
    ])
  })
])

/** Session: the user or key of a credential, and its access. */
const accesses = Object.keys(accessTable) as [Access, ...Array<Access>]

export const Session = Schema.Struct({
  credential: Schema.Literal("user", "api_key"),
  user_id: Schema.NullOr(idOf(UserId)).annotations({ description: "The user, or the owner of the key" }),
  email: Schema.NullOr(Schema.String),
  role: Schema.Literal(...roles, "admin"),
  access: Schema.Array(Schema.Literal(...accesses)).annotations({ description: "Names as in each operation" }),
  organization: Schema.NullOr(
    Schema.Struct({
      org_id: idOf(OrgId),
      name: Schema.String,
      country: Schema.String,
      currency: Schema.String,
      features: Schema.Array(Schema.String)
    })
  ).annotations({ description: "null: a platform admin without `org_id`" }),
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

export const SessionApi = apiGroup("session", "Session", "Who a credential is, and what it may do.", [
  operation({
    endpoint: get("me", "/users/me", OrgParam).addSuccess(envelope(Session)),
    access: "any",
    summary: "See who you are",
    description:
      "Extension. The person or key behind the credential, its organisation, and what it may do there at this moment.",
    response: examples({
      "A person": success("Session", person),
      "An API key": success("Session", { ...person, credential: "api_key" }),
      "A platform admin": success("Session", {
        ...person,
        email: "ops@corridor.example",
        role: "admin",
        access: accesses,
        organization: null
      })
    })
  })
])
