import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as fc from "fast-check"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { checkValue, reencrypt, Vault, type VaultError } from "../../../src/platform/secrets/Vault.ts"

const oldKey = deriveMasterKey("old")
const newKey = deriveMasterKey("new")
const oldVault = Vault.make(oldKey)
const newVault = Vault.make(newKey)
const context = "webhook_secrets/wh_1"

const reasonOf = (opened: Effect.Effect<string, VaultError>) =>
  Effect.runSync(Effect.either(opened)).pipe(Either.match({ onLeft: ({ reason }) => reason, onRight: () => "opened" }))

describe("sealing", () => {
  it.effect("opens what it sealed, through the layer", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const sealed = yield* vault.encrypt("whsec_1", context)
      expect(sealed).toMatch(new RegExp(`^v1\\.${oldKey.id}\\.[\\w-]{16}\\.[\\w-]+$`))
      expect(vault.keyId).toBe(oldKey.id)
      expect(yield* vault.decrypt(sealed, context)).toBe("whsec_1")
    }).pipe(Effect.provide(Vault.layer(oldKey)))
  )

  it("opens any text in any context, the empty ones too", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString(), fc.fullUnicodeString(), (plaintext, context) => {
        const sealed = Effect.runSync(oldVault.encrypt(plaintext, context))
        expect(Effect.runSync(oldVault.decrypt(sealed, context))).toBe(plaintext)
      })
    )
  })

  it.effect("never seals the same text twice alike, nor lets it show", () =>
    Effect.gen(function* () {
      const sealed = yield* Effect.replicateEffect(oldVault.encrypt("same text", context), 100)
      expect(new Set(sealed.map((text) => text.split(".")[2])).size).toBe(100)
      expect(new Set(sealed.map((text) => text.split(".")[3])).size).toBe(100)
      expect(Buffer.from(sealed[0]?.split(".")[3] ?? "", "base64url").toString("latin1")).not.toContain("same")
    })
  )

  it("refuses a change of any character, and all of the last one, whatever bits the length leaves unused in it", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_. ="
    for (const plaintext of ["", "a", "ab", "abc"]) {
      const sealed = Effect.runSync(oldVault.encrypt(plaintext, context))
      for (let at = 0; at < sealed.length; at++) {
        for (const other of at === sealed.length - 1 ? alphabet : "A1.=") {
          if (other === sealed.charAt(at)) continue
          const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
          expect(reasonOf(oldVault.decrypt(changed, context)), changed).not.toBe("opened")
        }
      }
    }
  })

  it("finds a change of any byte of nonce, ciphertext and tag", () => {
    const [version, keyId, nonce = "", body = ""] = Effect.runSync(oldVault.encrypt("secret", context)).split(".")
    const flipped = (text: string) => {
      const bytes = Buffer.from(text, "base64url")
      return Array.from(bytes, (_, at) =>
        Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))).toString("base64url")
      )
    }
    const forgeries = [
      ...flipped(nonce).map((other) => [version, keyId, other, body].join(".")),
      ...flipped(body).map((other) => [version, keyId, nonce, other].join("."))
    ]
    expect(forgeries).toHaveLength(12 + 6 + 16)
    for (const forgery of forgeries) expect(reasonOf(oldVault.decrypt(forgery, context))).toBe("not-authentic")
  })

  it("refuses a cut or lengthened text, and text that never was sealed", () => {
    const sealed = Effect.runSync(oldVault.encrypt("secret", context))
    for (let length = 0; length < sealed.length; length++) {
      expect(reasonOf(oldVault.decrypt(sealed.slice(0, length), context))).not.toBe("opened")
    }
    expect(reasonOf(oldVault.decrypt(`${sealed}AAAA`, context))).toBe("not-authentic")
    expect(reasonOf(oldVault.decrypt(`${sealed}\n`, context))).toBe("malformed")
    fc.assert(fc.property(fc.fullUnicodeString(), (text) => reasonOf(oldVault.decrypt(text, context)) === "malformed"))
  })

  it("refuses a secret that was moved to another context, and says which one", () => {
    const sealed = Effect.runSync(oldVault.encrypt("secret", context))
    const error = Effect.runSync(Effect.flip(oldVault.decrypt(sealed, "webhook_secrets/wh_2")))
    expect(error.reason).toBe("not-authentic")
    expect(error.message).toContain("webhook_secrets/wh_2")
  })

  it("names both keys and the setting when the key is another one", () => {
    const sealed = Effect.runSync(oldVault.encrypt("secret", context))
    const error = Effect.runSync(Effect.flip(newVault.decrypt(sealed, context)))
    expect(error).toMatchObject({ _tag: "VaultError", reason: "other-key" })
    expect(error.message).toContain(oldKey.id)
    expect(error.message).toContain(newKey.id)
    expect(error.message).toContain("CORRIDOR_MASTER_KEY")
  })

  it("does not open a secret whose key id was rewritten to match", () => {
    const sealed = Effect.runSync(oldVault.encrypt("secret", context)).replace(oldKey.id, newKey.id)
    expect(reasonOf(newVault.decrypt(sealed, context))).toBe("not-authentic")
  })
})

describe("reencrypt", () => {
  it.effect("moves a secret to the new key and keeps its context", () =>
    Effect.gen(function* () {
      const moved = yield* reencrypt(oldVault, newVault, yield* oldVault.encrypt("secret", context), context)
      expect(yield* newVault.decrypt(moved, context)).toBe("secret")
      expect(reasonOf(newVault.decrypt(moved, "elsewhere"))).toBe("not-authentic")
      expect(reasonOf(oldVault.decrypt(moved, context))).toBe("other-key")
    })
  )

  it.effect("leaves a secret that was moved already as it is, if it opens", () =>
    Effect.gen(function* () {
      const moved = yield* newVault.encrypt("secret", context)
      expect(yield* reencrypt(oldVault, newVault, moved, context)).toBe(moved)
      expect(reasonOf(reencrypt(oldVault, newVault, moved, "elsewhere"))).toBe("not-authentic")
    })
  )

  it.effect("fails for a secret of a third key", () =>
    Effect.gen(function* () {
      const sealed = yield* Vault.make(deriveMasterKey("third")).encrypt("secret", context)
      expect(reasonOf(reencrypt(oldVault, newVault, sealed, context))).toBe("other-key")
    })
  )
})

describe("hmac", () => {
  it("is the same for the same data, as text or bytes, and differs by data, purpose and key", () => {
    const digest = oldVault.hmac("data", "cursor")
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect(oldVault.hmac(Buffer.from("data"), "cursor")).toBe(digest)
    expect(Vault.make(deriveMasterKey("old")).hmac("data", "cursor")).toBe(digest)
    const others = [
      oldVault.hmac("date", "cursor"),
      oldVault.hmac("data", "idempotency"),
      newVault.hmac("data", "cursor")
    ]
    expect(new Set([digest, ...others]).size).toBe(4)
  })
})

describe("checkValue", () => {
  it("agrees for the same key only, and is not what seals or digests", () => {
    expect(checkValue(deriveMasterKey("old"))).toBe(checkValue(oldKey))
    expect(checkValue(newKey)).not.toBe(checkValue(oldKey))
    expect(checkValue(newKey).split(".")[2]).not.toBe(checkValue(oldKey).split(".")[2])
    expect(checkValue(oldKey)).toMatch(new RegExp(`^v1\\.${oldKey.id}\\.[0-9a-f]{64}$`))
    expect(checkValue(oldKey)).not.toContain(oldVault.hmac("corridor", "check value v1"))
  })
})
