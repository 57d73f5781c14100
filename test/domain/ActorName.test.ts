import { Option } from "effect"
import { expect, it } from "vitest"
import { type Actor, actorName } from "../../src/domain/Access.ts"

const actor = (kind: Actor["kind"], name?: string): Actor => ({
  kind,
  id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  userId: Option.none(),
  ...(name === undefined ? {} : { name })
})

it.each([
  [actor("user", "amina@acme.example"), "amina@acme.example"],
  [actor("api_key", "Checkout server"), 'API key "Checkout server"'],
  [actor("user"), "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c"]
])("says who it was: %#", (who, name) => expect(actorName(who)).toBe(name))
