import { expect, it } from "vitest"
import { invitationIn } from "../../../src/console/pages/InvitationIn.ts"

it.each([
  "inv_4KkJYkHq4Z",
  "  inv_4KkJYkHq4Z ",
  "POST https://pay.example/v1/organizations/invitations/inv_4KkJYkHq4Z/accept",
  "https://pay.example/console#/invitation/inv_4KkJYkHq4Z"
])("%s", (text) => expect(invitationIn(text)).toBe("inv_4KkJYkHq4Z"))
