/** Members of an organisation: their roles, and the permissions granted to them beyond their role. */
import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { permissionRoles, permissions, PermissionName, RoleName } from "../../domain/Access.ts"
import {
  CamelPageParams,
  camelPageOf,
  envelope,
  idOf,
  idParam,
  Timestamp,
  Id,
  IdParam,
  success,
  timestamps
} from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { examples, operation, apiGroup, camelPageExample, exampleTimes } from "./Operation.ts"
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

export const GrantPermission = Schema.Struct({ permission: PermissionName }).annotations({
  identifier: "GrantPermission"
})

export const ReplacePermissions = Schema.Struct({ permissions: Schema.Array(PermissionName) }).annotations({
  identifier: "ReplacePermissions"
})

export const memberExample = {
  user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  email: "ada@acme.example",
  role: "staff",
  permissions: ["webhooks"],
  ...exampleTimes
}

const MemberPath = Schema.Struct({ org_id: Schema.String, user_id: idParam(UserId) })

const ofRole = (role: string): string =>
  permissions
    .filter((permission) => permissionRoles[permission] === role)
    .map((permission) => `\`${permission}\``)
    .join(", ")

const lattice = `The role \`staff\` holds ${ofRole("staff")} by itself, \`org-admin\` also ${ofRole("org-admin")}. Nobody grants what they do not hold, by role or by grant, and nobody changes a member whose role is above their own: 403. What an operation needs of the organisation itself, such as a feature, no permission replaces.`

export const MembersApi = apiGroup(
  "members",
  "Members and permissions",
  "The people of an organisation and what they may do in it."
)
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("list", "/organizations/:org_id/members")
        .setPath(Schema.Struct({ org_id: Schema.String }))
        .setUrlParams(Schema.Struct(CamelPageParams))
        .addSuccess(camelPageOf(OrgMember)),
      access: "member_list",
      lists: true,
      summary: "List members",
      description: "Those who joined last come first.",
      response: camelPageExample("Members", [memberExample])
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.patch("change", "/organizations/:org_id/members/:user_id")
        .setPath(MemberPath)
        .setPayload(ChangeMember)
        .addSuccess(envelope(OrgMember))
        .addError(Conflict),
      access: "members",
      summary: "Change the role of a member",
      description:
        "Holds from the next request on, for their tokens and their API keys; permissions stay granted, and open invitations of theirs to a higher role are withdrawn. Nobody lifts anyone above their own role, or changes someone whose role is above it: 403. The last org-admin cannot be demoted: 409.",
      request: examples({ "To staff": { role: "staff" }, "To an org-admin": { role: "org-admin" } }),
      response: success("Member changed", memberExample)
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.del("remove", "/organizations/:org_id/members/:user_id")
        .setPath(MemberPath)
        .addSuccess(HttpApiSchema.NoContent)
        .addError(Conflict),
      access: "members",
      summary: "Remove a member",
      description:
        "Their API keys are revoked and their open invitations withdrawn with it, at once and on every instance. Someone whose role is above one's own cannot be removed: 403. The last org-admin cannot be removed: 409."
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.post("grant", "/organizations/:org_id/members/:user_id/permissions")
        .setPath(MemberPath)
        .setPayload(GrantPermission)
        .addSuccess(envelope(OrgMember)),
      access: "members",
      summary: "Grant a permission",
      description: `Opens the operations of that permission to a member of a lower role, from the next request on. It stays with the person: their API keys have their role alone. Granting twice changes nothing. ${lattice}`,
      request: examples({ Payouts: { permission: "payouts" }, Refunds: { permission: "refunds" } }),
      response: success("Permission granted", { ...memberExample, role: "member", permissions: ["payouts"] })
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.put("replace", "/organizations/:org_id/members/:user_id/permissions")
        .setPath(MemberPath)
        .setPayload(ReplacePermissions)
        .addSuccess(envelope(OrgMember)),
      access: "members",
      summary: "Replace the permissions of a member",
      description: `Grants those in the list and revokes the others, all or none. What the member has already may stay, whoever asks. ${lattice}`,
      request: examples({
        "Two of them": { permissions: ["payouts", "refunds"] },
        "None any more": { permissions: [] }
      }),
      response: success("Permissions replaced", {
        ...memberExample,
        role: "member",
        permissions: ["payouts", "refunds"]
      })
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.del("revoke", "/organizations/:org_id/members/:user_id/permissions/:permission")
        .setPath(Schema.Struct({ ...MemberPath.fields, permission: PermissionName }))
        .addSuccess(HttpApiSchema.NoContent),
      access: "members",
      summary: "Revoke a permission",
      description:
        "Works at once, on every instance. Revoking what was not granted changes nothing, and what the role gives by itself stays."
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("check", "/organizations/:org_id/members/:user_id/permissions/check")
        .setPath(MemberPath)
        .setUrlParams(Schema.Struct({ permission: PermissionName }))
        .addSuccess(
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

const OrganizationPath = Schema.Struct({ org_id: Schema.String })

export const InvitationsApi = apiGroup(
  "invitations",
  "Invitations",
  "How a person becomes a member of an organisation."
)
  .add(
    operation({
      endpoint: HttpApiEndpoint.post("invite", "/organizations/:org_id/members")
        .setPath(OrganizationPath)
        .setPayload(InviteMember)
        .addSuccess(envelope(Invitation), { status: 201 })
        .addError(Conflict),
      access: "members",
      summary: "Invite a member",
      description:
        "Sends a message with a token to the address; the token is in no answer, is good for one use and 7 days, and only its hash is stored. 409 when the address is a member's already, has an open invitation, or the message could not be sent (nothing is kept then). A role above the inviter's own is 403. 429 when the organisation sent 300 messages within the hour, or 20 to this address, or the address got 60 of all.",
      request: examples({
        "To staff": { email: "ada@acme.example", role: "staff" },
        "The first org-admin": { email: "grace@acme.example", role: "org-admin" }
      }),
      response: success("Invitation sent", example)
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("list", "/organizations/:org_id/invitations")
        .setPath(OrganizationPath)
        .setUrlParams(Schema.Struct(CamelPageParams))
        .addSuccess(camelPageOf(Invitation)),
      access: "members",
      lists: true,
      summary: "List invitations",
      description: "Extension. Newest first, open and closed ones.",
      response: camelPageExample("Invitations", [example])
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.del("withdraw", "/organizations/:org_id/invitations/:invitation_id")
        .setPath(Schema.Struct({ org_id: Schema.String, invitation_id: IdParam }))
        .addSuccess(HttpApiSchema.NoContent)
        .addError(Conflict),
      access: "members",
      summary: "Withdraw an invitation",
      description:
        "Extension. Its token stops working at once, and the address can be invited again. One that was accepted is 409; one that is closed otherwise stays as it is. An invitation to a role, or by someone with a role, above the caller's: 403."
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.post("accept", "/organizations/invitations/:token/accept")
        .setPath(Schema.Struct({ token: Schema.String }))
        .addSuccess(envelope(OrgMember))
        .addError(Conflict),
      access: "person",
      summary: "Accept an invitation",
      description:
        "Binds the membership to the caller, once. The caller's token must carry the invited address in its claim `email`, with `email_verified: true`, and the address on record of a known user must be the same; capital and small letters do not count. Anything else is 403. Someone whom the service does not know yet becomes a user with the `sub` and the address of the token. A token that was never given out is 404; one that was used, withdrawn or has expired is 409, and the message says which. From then on the caller's tokens with this `org_id` work.",
      response: success("Invitation accepted", { ...memberExample, permissions: [] })
    })
  )
