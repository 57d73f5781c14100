/** Users: the people behind an organisation's tokens and keys. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { RoleName } from "../../domain/Access.ts"
import { idOf, OrgParam, pageOf, PageParams, Timestamp } from "./Envelope.ts"
import { NotFound } from "./Errors.ts"
import { operation } from "./Operation.ts"

export const User = Schema.Struct({
  user_id: idOf(UserId),
  org_id: Schema.NullOr(idOf(OrgId)),
  email: Schema.String,
  role: Schema.NullOr(RoleName).annotations({
    description: "In that organisation; like `org_id` null in a list of all organisations' users"
  }),
  country: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotations({ identifier: "User" })

export const UsersApi = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/users/list")
      .setUrlParams(Schema.Struct({ ...OrgParam, ...PageParams }))
      .addSuccess(pageOf(User))
      .addError(NotFound)
      .pipe(
        operation({
          access: "operations",
          lists: true,
          summary: "List users",
          description: "The users of the organisation, newest first. A platform admin who names none gets everybody.",
          response: {
            status: "success",
            message: "Users",
            data: [
              {
                user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
                org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
                email: "ada@acme.example",
                role: "staff",
                country: "KE",
                created_at: "2026-03-02T09:15:00.000Z",
                updated_at: "2026-03-02T09:15:00.000Z"
              }
            ],
            meta: { count: 1, has_more: false, last_evaluated_key: null },
            last_evaluated_key: null
          }
        })
      )
  )
  .annotate(OpenApi.Title, "Users")
  .annotate(OpenApi.Description, "The people behind an organisation's tokens and keys.")
