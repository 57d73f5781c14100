/** Members of an organisation: their roles, and the permissions granted to them beyond their role. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { permissionRoles, permissions, PermissionName, RoleName } from "../../domain/Access.ts"
import {
  del,
  get,
  patch,
  post,
  put,
  examples,
  operation,
  apiGroup,
  camelPageExample,
  exampleTimes
} from "./Operation.ts"
import { CamelPageParams, camelPageOf, envelope, idOf, Timestamp, Id, success, timestamps } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"

export const OrgMember = Schema.Struct({
  user_id: idOf(UserId),
  org_id: idOf(OrgId),
  email: Schema.String,
  role: RoleName,
  permissions: Schema.Array(PermissionName).annotations({
    description: "Permissions granted beyond the role, in alphabetical order"
  }),
  created_at: Schema.propertySignature(Timestamp).annotations({ description: "When they became a member" }),
  updated_at: Timestamp
}).annotations({ identifier: "OrgMember" })

export const ChangeMember = Schema.Struct({ role: RoleName }).annotations({ identifier: "ChangeMember" })

const GrantPermission = Schema.Struct({ permission: PermissionName }).annotations({
  identifier: "GrantPermission"
})

const ReplacePermissions = Schema.Struct({ permissions: Schema.Array(PermissionName) }).annotations({
  identifier: "ReplacePermissions"
})

const memberExample = {
  user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  email: "ada@acme.example",
  role: "staff",
  permissions: ["webhooks"],
  ...exampleTimes
}

const ofRole = (role: string): string =>
  permissions
    .filter((permission) => permissionRoles[permission] === role)
    .map((permission) => `\`${permission}\``)
    .join(", ")

const lattice = `The role \`staff\` holds ${ofRole("staff")} by itself, \`org-admin\` also ${ofRole("org-admin")}. The caller must hold a permission to grant it, and a role not below the member's: otherwise 403. A permission does not replace a feature that the organisation lacks.`

export const MembersApi = apiGroup(
  "members",
  "Members and permissions",
  "The people of an organisation and what they may do in it.",
  [
    operation({
      endpoint: get("list", "/organizations/:org_id/members", CamelPageParams).addSuccess(camelPageOf(OrgMember)),
      access: "member_list",
      lists: true,
      summary: "List members",
      description: "Those who joined last come first.",
      response: camelPageExample("Members", [memberExample])
    }),
    operation({
      endpoint: patch("change", "/organizations/:org_id/members/:user_id")
        .setPayload(ChangeMember)
        .addSuccess(envelope(OrgMember))
        .addError(Conflict),
      access: "members",
      summary: "Change the role of a member",
      description:
        "Takes effect with the next request, for tokens and API keys. Permissions stay granted; open invitations by the member to a higher role are withdrawn. A role above the caller's, before or after: 403. Demoting the last org-admin: 409.",
      request: examples({ "To staff": { role: "staff" }, "To an org-admin": { role: "org-admin" } }),
      response: success("Member changed", memberExample)
    }),
    operation({
      endpoint: del("remove", "/organizations/:org_id/members/:user_id")
        .addSuccess(HttpApiSchema.NoContent)
        .addError(Conflict),
      access: "members",
      summary: "Remove a member",
      description:
        "Also revokes their API keys and withdraws their open invitations, at once and on every instance. A member with a role above the caller's: 403. The last org-admin: 409."
    }),
    operation({
      endpoint: post("grant", "/organizations/:org_id/members/:user_id/permissions")
        .setPayload(GrantPermission)
        .addSuccess(envelope(OrgMember)),
      access: "members",
      summary: "Grant a permission",
      description: `Opens the operations of the permission to a member of a lower role, from the next request on. API keys of the member do not get it. Granting twice changes nothing. ${lattice}`,
      request: examples({ Payouts: { permission: "payouts" }, Refunds: { permission: "refunds" } }),
      response: success("Permission granted", { ...memberExample, role: "member", permissions: ["payouts"] })
    }),
    operation({
      endpoint: put("replace", "/organizations/:org_id/members/:user_id/permissions")
        .setPayload(ReplacePermissions)
        .addSuccess(envelope(OrgMember)),
      access: "members",
      summary: "Replace the permissions of a member",
      description: `Grants the listed permissions and revokes the others, all or none. Permissions that the member already has may stay for any caller. ${lattice}`,
      request: examples({
        "Two of them": { permissions: ["payouts", "refunds"] },
        "None any more": { permissions: [] }
      }),
      response: success("Permissions replaced", {
        ...memberExample,
        role: "member",
        permissions: ["payouts", "refunds"]
      })
    }),
    operation({
      endpoint: del("revoke", "/organizations/:org_id/members/:user_id/permissions/:permission").addSuccess(
        HttpApiSchema.NoContent
      ),
      access: "members",
      summary: "Revoke a permission",
      description:
        "Takes effect at once, on every instance. Revoking a permission that was not granted changes nothing. Permissions of the role stay."
    }),
    operation({
      endpoint: get("check", "/organizations/:org_id/members/:user_id/permissions/check", {
        permission: PermissionName
      }).addSuccess(
        envelope(Schema.Struct({ allowed: Schema.Boolean }).annotations({ identifier: "PermissionCheck" }))
      ),
      access: "members",
      summary: "Check a permission",
      description: "Whether the member may do what the permission opens, by their role or because it was granted.",
      response: examples({
        "They may": success("Permission checked", { allowed: true }),
        "They may not": success("Permission checked", { allowed: false })
      })
    })
  ]
)

/** Invitations: how a person becomes a member. */
export const Invitation = Schema.Struct({
  invitation_id: Id,
  org_id: idOf(OrgId),
  email: Schema.String,
  role: RoleName,
  status: Schema.Literal("pending", "accepted", "withdrawn", "expired"),
  invited_by: Schema.NullOr(idOf(UserId)).annotations({ description: "null: an operator of the platform" }),
  expires_at: Timestamp,
  ...timestamps
}).annotations({ identifier: "Invitation" })

export const InviteMember = Schema.Struct({
  email: EmailAddress,
  role: RoleName.annotations({ description: "Never above the inviter's own" })
}).annotations({ identifier: "InviteMember" })

const example = {
  invitation_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  email: "ada@acme.example",
  role: "staff",
  status: "pending",
  invited_by: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  expires_at: "2026-03-09T09:15:00.000Z",
  ...exampleTimes
}

export const InvitationsApi = apiGroup(
  "invitations",
  "Invitations",
  "How a person becomes a member of an organisation.",
  [
    operation({
      endpoint: post("invite", "/organizations/:org_id/members")
        .setPayload(InviteMember)
        .addSuccess(envelope(Invitation), { status: 201 })
        .addError(Conflict),
      access: "members",
      summary: "Invite a member",
      description:
        "Sends an e-mail with a token, valid once and for 7 days. Only its hash is stored, and no answer contains it. 409 if the address is a member's, has an open invitation, or the e-mail could not be sent (nothing is stored then). A role above the caller's: 403. 429 after 300 e-mails of the organisation within an hour, 20 to this address, or 60 to it by all organisations.",
      request: examples({
        "To staff": { email: "ada@acme.example", role: "staff" },
        "The first org-admin": { email: "grace@acme.example", role: "org-admin" }
      }),
      response: success("Invitation sent", example)
    }),
    operation({
      endpoint: get("list", "/organizations/:org_id/invitations", CamelPageParams).addSuccess(camelPageOf(Invitation)),
      access: "members",
      lists: true,
      summary: "List invitations",
      description: "Extension. Newest first, open and closed ones.",
      response: camelPageExample("Invitations", [example])
    }),
    operation({
      endpoint: del("withdraw", "/organizations/:org_id/invitations/:invitation_id")
        .addSuccess(HttpApiSchema.NoContent)
        .addError(Conflict),
      access: "members",
      summary: "Withdraw an invitation",
      description:
        "Extension. The token stops working at once, and the address can be invited again. An accepted invitation: 409; one that is closed otherwise stays unchanged. An invitation to a role, or by a member with a role, above the caller's: 403."
    }),
    operation({
      endpoint: post("accept", "/organizations/invitations/:token/accept")
        .addSuccess(envelope(OrgMember))
        .addError(Conflict),
      access: "person",
      summary: "Accept an invitation",
      description:
        "Makes the caller a member, once. The caller's token must have the invited address in `email`, with `email_verified: true`; a known user must have the same address. Case is ignored. Otherwise 403. An unknown caller becomes a user with the `sub` and address of the token. An unknown invitation is 404; a used, withdrawn or expired one is 409, with the reason. Afterwards the caller's tokens with this `org_id` are accepted.",
      response: success("Invitation accepted", { ...memberExample, permissions: [] })
    })
  ]
)
