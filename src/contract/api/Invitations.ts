/** Invitations: how a person becomes a member. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { OrgId, UserId } from "../../domain/Ids.ts"
import { RoleName } from "../../domain/Access.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { CamelPageParams, camelPageOf } from "./CamelPage.ts"
import { envelope, Id, idOf, IdParam, Timestamp } from "./Envelope.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { memberExample, OrgMember } from "./Members.ts"
import { examples, operation } from "./Operation.ts"

export const Invitation = Schema.Struct({
  invitation_id: Id,
  org_id: idOf(OrgId),
  email: Schema.String,
  role: RoleName,
  status: Schema.Literal("pending", "accepted", "withdrawn", "expired"),
  invited_by: Schema.NullOr(idOf(UserId)).annotations({ description: "null: an operator of the platform" }),
  expires_at: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp
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
  created_at: "2026-03-02T09:15:00.000Z",
  updated_at: "2026-03-02T09:15:00.000Z"
}

const OrganizationPath = Schema.Struct({ org_id: Schema.String })

export const InvitationsApi = HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.post("invite", "/organizations/:org_id/members")
      .setPath(OrganizationPath)
      .setPayload(InviteMember)
      .addSuccess(envelope(Invitation), { status: 201 })
      .addError(NotFound)
      .addError(Conflict)
      .pipe(
        operation({
          access: "members",
          summary: "Invite a member",
          description:
            "Sends a message with a token to the address; the token is in no answer, is good for one use and 7 days, and only its hash is stored. 409 when the address is a member's already, has an open invitation, or the message could not be sent (nothing is kept then). A role above the inviter's own is 403. 429 when the organisation sent 300 messages within the hour, or 20 to this address, or the address got 60 of all.",
          request: examples({
            "To staff": { email: "ada@acme.example", role: "staff" },
            "The first org-admin": { email: "grace@acme.example", role: "org-admin" }
          }),
          response: { status: "success", message: "Invitation sent", data: example }
        })
      )
  )
  .add(
    HttpApiEndpoint.get("list", "/organizations/:org_id/invitations")
      .setPath(OrganizationPath)
      .setUrlParams(Schema.Struct(CamelPageParams))
      .addSuccess(camelPageOf(Invitation))
      .addError(NotFound)
      .pipe(
        operation({
          access: "members",
          lists: true,
          summary: "List invitations",
          description: "Extension. Newest first, open and closed ones.",
          response: {
            status: "success",
            message: "Invitations",
            data: [example],
            meta: { count: 1, has_more: false, lastEvaluatedKey: null },
            lastEvaluatedKey: null
          }
        })
      )
  )
  .add(
    HttpApiEndpoint.del("withdraw", "/organizations/:org_id/invitations/:invitation_id")
      .setPath(Schema.Struct({ org_id: Schema.String, invitation_id: IdParam }))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .addError(Conflict)
      .pipe(
        operation({
          access: "members",
          summary: "Withdraw an invitation",
          description:
            "Extension. Its token stops working at once, and the address can be invited again. One that was accepted is 409; one that is closed otherwise stays as it is. An invitation to a role, or by someone with a role, above the caller's: 403."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("accept", "/organizations/invitations/:token/accept")
      .setPath(Schema.Struct({ token: Schema.String }))
      .addSuccess(envelope(OrgMember))
      .addError(NotFound)
      .addError(Conflict)
      .pipe(
        operation({
          access: "person",
          summary: "Accept an invitation",
          description:
            "Binds the membership to the caller, once. The caller's token must carry the invited address in its claim `email`, with `email_verified: true`, and the address on record of a known user must be the same; capital and small letters do not count. Anything else is 403. Someone whom the service does not know yet becomes a user with the `sub` and the address of the token. A token that was never given out is 404; one that was used, withdrawn or has expired is 409, and the message says which. From then on the caller's tokens with this `org_id` work.",
          response: {
            status: "success",
            message: "Invitation accepted",
            data: { ...memberExample, permissions: [] }
          }
        })
      )
  )
  .annotate(OpenApi.Title, "Invitations")
  .annotate(OpenApi.Description, "How a person becomes a member of an organisation.")
