/** The platform's accounts from the environment: whole or not at all, and never a secret in a complaint. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option, Redacted } from "effect"
import { ProviderSettings } from "../../../src/providers/accounts/ProviderSettings.ts"
import { settingsPrefix, thirdParties } from "../../../src/providers/accounts/ThirdParties.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"

const SECRET = "sk_do_not_repeat"

const live: Variables = {
  CORRIDOR_MODE: "live",
  CORRIDOR_MASTER_KEY: "ab".repeat(32),
  KYB_WEBHOOK_SECRET: "a secret of the test"
}

const load = (variables: Variables) => Effect.either(Effect.provide(ProviderSettings, testSettings(variables)))

const complaintAbout = (variables: Variables) =>
  Effect.map(load(variables), (loaded) => (Either.isLeft(loaded) ? loaded.left.message : "nothing"))

const loaded = (variables: Variables) => Effect.map(load(variables), Either.getOrThrow)

const on = (variables: Variables) =>
  Effect.map(loaded(variables), ({ parties }) =>
    Array.from(parties).flatMap(([name, { platform }]) => (Option.isSome(platform) ? [name] : []))
  )

describe("the platform's accounts", () => {
  it.effect("are none without settings, and none for empty ones", () =>
    Effect.gen(function* () {
      expect(yield* on({})).toEqual([])
      const empty = Object.fromEntries(
        thirdParties.flatMap(({ fields }) => Object.values(fields).map(({ env }, at) => [env, at === 0 ? "" : "  "]))
      )
      expect(yield* on(empty)).toEqual([])
    })
  )

  for (const { fields, name, title } of thirdParties) {
    const needed = Object.entries(fields).filter(([, { optional }]) => optional !== true)
    const all = Object.fromEntries(needed.map(([, { env }]) => [env, SECRET]))

    it.effect(`${title} is on with all that it needs, in either mode`, () =>
      Effect.gen(function* () {
        expect(yield* on(all)).toEqual([name])
        expect(yield* on({ ...live, ...all })).toEqual([name])
        const given = Option.getOrThrow((yield* loaded(all)).parties.get(name)!.platform)
        expect(Object.keys(given).toSorted()).toEqual(needed.map(([field]) => field).toSorted())
        expect(Object.values(given).map(Redacted.value)).toEqual(needed.map(() => SECRET))
        expect(String(Object.values(given))).not.toContain(SECRET)
      })
    )

    for (const [, { env, madeInSandbox }] of needed) {
      const others = Object.fromEntries(
        Object.values(fields)
          .filter((field) => field.env !== env)
          .map((field) => [field.env, SECRET])
      )
      if (Object.keys(others).length === 0) continue
      it.effect(`${title} by halves stops the start with ${env}`, () =>
        Effect.gen(function* () {
          if (madeInSandbox === true) expect(yield* on(others)).toEqual([name])
          const mode = madeInSandbox === true ? live : {}
          for (const halves of [others, { ...others, [env]: " " }]) {
            const complaint = yield* complaintAbout({ ...mode, ...halves })
            expect(complaint).toMatch(new RegExp(`^${env} is missing: .*${title} needs it too`))
            expect(complaint).not.toContain(SECRET)
          }
        })
      )
    }

    it.effect(`${title} lives where it says, or where ${settingsPrefix(name)}_BASE_URL says`, () =>
      Effect.gen(function* () {
        const setting = `${settingsPrefix(name)}_BASE_URL`
        const at = (variables: Variables) => Effect.map(loaded(variables), (all) => all.parties.get(name)!.baseUrl)
        const party = thirdParties.find((one) => one.name === name)!
        expect(yield* at({})).toBe(party.baseUrls.sandbox)
        expect(yield* at({ [setting]: "" })).toBe(party.baseUrls.sandbox)
        expect(yield* at(live)).toBe(party.baseUrls.live)
        expect(yield* at({ [setting]: "http://127.0.0.1:9/" })).toBe("http://127.0.0.1:9")
        expect(yield* at({ ...live, [setting]: "https://gateway.example/x" })).toBe("https://gateway.example/x")
        expect(yield* complaintAbout({ ...live, [setting]: "http://127.0.0.1:9/" })).toBe(
          `${setting} is not valid: expected a URL that starts with https://.`
        )
      })
    )
  }

  it.effect("name all that is wrong at once", () =>
    Effect.gen(function* () {
      const complaint = yield* complaintAbout({
        STRIPE_WEBHOOK_SECRET: SECRET,
        MTN_MOMO_API_USER: SECRET,
        PAYSTACK_BASE_URL: "ftp://x",
        CARD_DATA: "yes"
      })
      const names = complaint.split("\n").map((line) => line.split(" ")[0])
      expect(names.toSorted()).toEqual([
        "CARD_DATA",
        "MTN_MOMO_COLLECTION_KEY",
        "MTN_MOMO_DISBURSEMENT_KEY",
        "MTN_MOMO_TARGET_ENVIRONMENT",
        "PAYSTACK_BASE_URL",
        "STRIPE_SECRET_KEY"
      ])
    })
  )

  it.effect("are refused where one cannot be sent, by the name of its setting; the PEM of a key has lines", () =>
    Effect.gen(function* () {
      const broken: ReadonlyArray<readonly [string, RegExp]> = [
        [`${SECRET}\nsecond`, /STRIPE_SECRET_KEY.*has a line break in it/],
        [`${SECRET}\u2026`, /STRIPE_SECRET_KEY.*not plain ASCII/]
      ]
      for (const [value, expected] of broken) {
        const complaint = yield* complaintAbout({ STRIPE_SECRET_KEY: value })
        expect(complaint).toMatch(expected)
        expect(complaint).not.toContain(SECRET)
      }
      const pem = "-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----"
      expect(yield* on({ COINBASE_KEY_ID: "id", COINBASE_KEY_SECRET: pem })).toEqual(["coinbase"])
      expect(yield* complaintAbout({ COINBASE_KEY_ID: "id\nid", COINBASE_KEY_SECRET: pem })).toContain(
        "COINBASE_KEY_ID"
      )
    })
  )

  it.effect("may name the secret of before, which stands beside all that has not changed", () =>
    Effect.gen(function* () {
      const now = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_new" }
      const replacedIn = (variables: Variables) =>
        Effect.map(loaded(variables), ({ parties }) =>
          Option.map(parties.get("stripe")!.replaced, (given) =>
            Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Redacted.value(value)]))
          )
        )
      expect(yield* replacedIn(now)).toEqual(Option.none())
      const both = { ...now, STRIPE_WEBHOOK_SECRET_PREVIOUS: "whsec_old" }
      expect(yield* replacedIn(both)).toEqual(Option.some({ secret_key: "sk_test_1", webhook_secret: "whsec_old" }))
      expect(yield* replacedIn({ STRIPE_WEBHOOK_SECRET_PREVIOUS: "whsec_old" })).toEqual(Option.none())
    })
  )

  it.effect("pass on card numbers only where CARD_DATA says raw", () =>
    Effect.gen(function* () {
      expect((yield* loaded({})).rawCards).toBe(false)
      expect((yield* loaded({ CARD_DATA: "" })).rawCards).toBe(false)
      expect((yield* loaded({ CARD_DATA: "raw" })).rawCards).toBe(true)
      expect(yield* complaintAbout({ CARD_DATA: "RAW" })).toBe("CARD_DATA is not valid: expected raw, or nothing.")
    })
  )

  it.effect("show a certificate where both of its files are named", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "corridor-tls-"))
      const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
      writeFileSync(cert, "the certificate")
      writeFileSync(key, "the key")
      const { parties } = yield* loaded({ PAWAPAY_TLS_CERT_FILE: cert, PAWAPAY_TLS_KEY_FILE: key })
      const shown = Option.getOrThrow(parties.get("pawapay")!.certificate)
      expect([shown.cert, Redacted.value(shown.key)]).toEqual(["the certificate", "the key"])
      expect(Option.isNone(parties.get("stripe")!.certificate)).toBe(true)
      expect(yield* complaintAbout({ PAWAPAY_TLS_CERT_FILE: cert })).toMatch(/^PAWAPAY_TLS_KEY_FILE is missing/)
      expect(yield* complaintAbout({ PAWAPAY_TLS_KEY_FILE: key })).toMatch(/^PAWAPAY_TLS_CERT_FILE is missing/)
      const absent = join(folder, "absent.pem")
      expect(yield* complaintAbout({ PAWAPAY_TLS_CERT_FILE: cert, PAWAPAY_TLS_KEY_FILE: absent })).toBe(
        "PAWAPAY_TLS_KEY_FILE is not valid: the file that it names cannot be read."
      )
    })
  )
})
