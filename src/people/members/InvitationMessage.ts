/** The words that go to someone who is invited. */
import { Duration } from "effect"
import { asName } from "../../domain/PlainWords.ts"
import { invitationTtl } from "../../domain/policies/People.ts"
import type { Message } from "../../platform/notifications/Notification.ts"
import type { Organization } from "../organizations/Organization.ts"
import type { Invitation } from "./Member.ts"

export const invitationMessage = (
  publicUrl: string,
  organization: Organization,
  { email, org_id, role }: Invitation,
  token: string
): Message => ({
  to: email,
  subject: `You are invited to ${asName(organization.name)}`,
  text: [
    `You are invited to join ${asName(organization.name)} with the role ${role}.`,
    "",
    `To accept, open this page within ${Duration.toDays(invitationTtl)} days; it asks for your own access token:`,
    "",
    `${publicUrl}/console#/invitation/${token}`,
    "",
    "Or send, with that token:",
    "",
    `POST ${publicUrl}/v1/organizations/invitations/${token}/accept`,
    "",
    "The invitation works once, and only for you. If you did not expect this message, ignore it."
  ].join("\n"),
  org_id,
  kind: "invitation",
  priority: "medium"
})
