/** Which secrets a worker opens, and how often. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { WebhookId } from "../../../src/domain/Ids.ts"
import { Vault, VaultError, type VaultService } from "../../../src/platform/secrets/Vault.ts"
import { SigningKeys } from "../../../src/webhooks/delivery/DeliveryAttempt.ts"
import { secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { TestVault } from "../../support/TestSettings.ts"

const webhook_id = WebhookId.make("00000000-0000-7000-8000-000000000002")
const other_id = WebhookId.make("00000000-0000-7000-8000-000000000003")

const counting = (vault: VaultService) => {
  let opened = 0
  const decrypt: VaultService["decrypt"] = (sealed, context) => {
    opened += 1
    return vault.decrypt(sealed, context)
  }
  return { opened: () => opened, keys: new SigningKeys({ ...vault, decrypt }) }
}

describe("The signing secrets of a worker", () => {
  it.effect("are opened once, and again when they were changed", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const { keys, opened } = counting(vault)
      const seal = (secret: string) => vault.encrypt(secret, secretContext(webhook_id))
      const [old, young] = [yield* seal("whsec_old"), yield* seal("whsec_young")]
      const before = { webhook_id, secret_sealed: old, previous_secret_sealed: null }
      const after = { webhook_id, secret_sealed: young, previous_secret_sealed: old }
      expect(yield* keys.of(before)).toEqual({ current: "whsec_old", previous: null })
      expect(yield* keys.of(before)).toEqual({ current: "whsec_old", previous: null })
      expect(opened()).toBe(1)
      expect(yield* keys.of(after)).toEqual({ current: "whsec_young", previous: "whsec_old" })
      expect(yield* keys.of(after)).toEqual({ current: "whsec_young", previous: "whsec_old" })
      expect(opened()).toBe(2)
    }).pipe(Effect.provide(TestVault))
  )

  it.effect("open for no other endpoint, also where they are open already, and are tried again", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const { keys, opened } = counting(vault)
      const secret_sealed = yield* vault.encrypt("whsec_x", secretContext(other_id))
      yield* keys.of({ webhook_id: other_id, secret_sealed, previous_secret_sealed: null })
      const foreign = { webhook_id, secret_sealed, previous_secret_sealed: null }
      for (const times of [2, 3]) {
        expect(yield* Effect.flip(keys.of(foreign))).toBeInstanceOf(VaultError)
        expect(opened()).toBe(times)
      }
    }).pipe(Effect.provide(TestVault))
  )
})
