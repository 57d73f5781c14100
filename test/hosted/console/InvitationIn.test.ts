import { expect, it } from "vitest"
import { invitationCode } from "../../../src/console/state/TypedInput.ts"

it.each([
  "inv_4KkJYkHq4Z",
  "  inv_4KkJYkHq4Z ",
  "POST https://pay.example/v1/organizations/invitations/inv_4KkJYkHq4Z/accept",
  "https://pay.example/console#/invitation/inv_4KkJYkHq4Z"
])("%s", (text) => expect(invitationCode(text)).toBe("inv_4KkJYkHq4Z"))
