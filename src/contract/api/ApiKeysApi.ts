/** API keys: list, create, rotate, revoke. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { KeyId, OrgId, UserId } from "../../domain/Ids.ts"
import { roles } from "../../domain/Access.ts"
import { del, get, post, examples, operation, apiGroup, exampleTimes, pageExample } from "./Operation.ts"
import {
  countedPageOf,
  envelope,
  idOf,
  idParam,
  OrgParam,
  PageParams,
  Timestamp,
  success,
  timestamps
} from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { text } from "./RequestFields.ts"

export const ApiKey = Schema.Struct({
  api_key_id: idOf(KeyId),
  prefix: Schema.String.annotations({ description: "The first 12 characters of the key" }),
  name: Schema.String,
  org_id: idOf(OrgId),
  user_id: idOf(UserId).annotations({ description: "The owner: the user who created or rotated it" }),
  obtained_by: Schema.NullOr(idOf(UserId)).annotations({
    description: "Extension. Who was shown the key; null: a platform operator"
  }),
  role: Schema.Literal(...roles),
  status: Schema.Literal("active", "expiring", "revoked").annotations({
    description: "`expiring`: valid until `expires_at`"
  }),
  expires_at: Schema.NullOr(Timestamp),
  ...timestamps
}).annotations({ identifier: "ApiKey" })

const NewApiKey = Schema.Struct({
  ...ApiKey.fields,
  api_key: Schema.String.annotations({ description: "The key itself, shown this once" })
}).annotations({ identifier: "NewApiKey" })

export const CreateApiKey = Schema.Struct({
  name: text(100, "Name shown in the list"),
  role: Schema.optionalWith(Schema.Literal(...roles), { default: () => "org-admin" }).annotations({
    description: "Default `org-admin`; never above the role of its maker"
  }),
  user_id: Schema.optional(
    idParam(UserId).annotations({
      description: "Extension. The owner; only the operator of the database names another user than oneself"
    })
  ),
  ...OrgParam
}).annotations({ identifier: "CreateApiKey" })

const LONGEST_GRACE = 30 * 24 * 3600

const GraceSeconds = Schema.Int.pipe(Schema.between(0, LONGEST_GRACE)).annotations({
  jsonSchema: {
    type: "integer",
    minimum: 0,
    maximum: LONGEST_GRACE,
    description: "For how many seconds the old key stays valid; 0, the default, revokes it at once"
  }
})

export const RotateApiKey = Schema.Struct({
  grace_seconds: Schema.optionalWith(GraceSeconds, { default: () => 0 })
}).annotations({ identifier: "RotateApiKey" })

const example = {
  api_key_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77",
  prefix: "ck_test_9aZk",
  name: "Checkout server",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  obtained_by: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  role: "org-admin",
  status: "active",
  expires_at: null,
  ...exampleTimes
}

const page = pageExample("API keys", [example])

const fresh = { ...example, api_key: "ck_test_9aZkQ2mN7xT4bVc1yLw8RsJ5hGf3DpE60o2qWx" }

export const ApiKeysApi = apiGroup("apiKeys", "API keys", "Keys for server-to-server callers.", [
  operation({
    endpoint: get("list", "/public/api-keys", { ...OrgParam, ...PageParams }).addSuccess(countedPageOf(ApiKey)),
    access: "api_keys",
    lists: true,
    summary: "List API keys",
    description: "Newest first. Only the leading characters of a key are ever listed.",
    response: { ...page, meta: { ...page.meta, total_count: 1 } }
  }),
  operation({
    endpoint: post("create", "/public/api-keys")
      .setPayload(CreateApiKey)
      .addSuccess(envelope(NewApiKey), { status: 201 }),
    access: "api_keys",
    summary: "Create an API key",
    description:
      "The key is shown only in this answer; only its hash is stored. It acts for its creator, with at most the role given here.",
    request: examples({
      "Of a lower role than one's own": { name: "Checkout server", role: "staff" },
      "An org-admin's": { name: "Back office" }
    }),
    response: success("API key created; store it now, it is not shown again", fresh)
  }),
  operation({
    endpoint: post("rotate", "/public/api-keys/:api_key_id/rotate")
      .setPayload(RotateApiKey)
      .addSuccess(envelope(NewApiKey))
      .addError(Conflict),
    access: "api_keys",
    summary: "Rotate an API key",
    description:
      "Creates a new key with the same name and role, owned by the caller. The old key is `expiring` until the grace time ends; without one it is revoked at once. A person cannot review their own payments with a key that they own. A key whose role, or whose owner's role, is above the caller's: 403.",
    request: examples({
      "The old one works for an hour": { grace_seconds: 3600 },
      "The old one ends at once": {}
    }),
    response: success("API key rotated; store the new one now", fresh)
  }),
  operation({
    endpoint: del("revoke", "/public/api-keys/:api_key_id").addSuccess(HttpApiSchema.NoContent),
    access: "api_keys",
    summary: "Revoke an API key",
    description:
      "Takes effect at once, on every instance. Revoking twice changes nothing. A key whose role, or whose owner's role, is above the caller's: 403. Your own keys can always be revoked."
  })
])
