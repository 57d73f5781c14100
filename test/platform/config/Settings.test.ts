/** A wrong value stops the start: with the name of the setting, what it expects, and never a secret. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { Settings, parseMailbox } from "../../../src/platform/config/Settings.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"

const complaintAbout = (variables: Variables) =>
  Settings.pipe(
    Effect.provide(testSettings(variables)),
    Effect.either,
    Effect.map((loaded) => (Either.isLeft(loaded) ? loaded.left.message : "nothing"))
  )

const wrong: ReadonlyArray<readonly [name: string, expected: RegExp]> = [
  ["CORRIDOR_MODE", /expected one of sandbox, live/],
  ["PORT", /integer/],
  ["METRICS_PORT", /integer/],
  ["PUBLIC_URL", /expected a URL that starts with https:\/\/ or http:\/\//],
  ["DATABASE_URL", /expected a URL that starts with postgres:\/\/ or postgresql:\/\//],
  ["SMTP_URL", /expected a URL that starts with smtp:\/\/ or smtps:\/\//],
  ["JWT_JWKS_URL", /expected a URL that starts with https:\/\/ or http:\/\//],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", /expected a URL/],
  ["CORRIDOR_MASTER_KEY", /./],
  ["WEBHOOK_TIMEOUT", /duration/],
  ["WEBHOOK_ENDPOINTS_PER_ORG", /integer/],
  ["REVIEW_RATE_TTL", /duration/],
  ["PAYIN_EXPIRY", /duration/],
  ["LINK_PAYIN_EXPIRY", /duration/],
  ["WEBHOOK_RETRY_DELAYS", /expected comma-separated durations/],
  ["CORS_ORIGINS", /write it like https:\/\/app\.example\.com/],
  ["TRUST_PROXY", /write false, true, a number of proxies/],
  ["NOTIFY_FROM", /expected an e-mail address/],
  ["LOG_LEVEL", /expected one of debug, info, warn, error/]
]

describe("settings", () => {
  for (const [name, expected] of wrong) {
    it.effect(`${name} with a wrong value is named, with what is expected`, () =>
      Effect.gen(function* () {
        const complaint = yield* complaintAbout({ [name]: "foo" })
        expect(complaint).toMatch(new RegExp(`^${name} is not valid: [^\n]+\\.$`))
        expect(complaint).toMatch(expected)
      })
    )
  }

  it.effect("names all that are wrong at once", () =>
    Effect.gen(function* () {
      const complaint = yield* complaintAbout({ CORS_ORIGINS: "foo", TRUST_PROXY: "foo", PORT: "0" })
      const names = complaint.split("\n").map((line) => line.split(" ")[0])
      expect(names.sort()).toEqual(["CORS_ORIGINS", "PORT", "TRUST_PROXY"])
    })
  )

  it.effect("refuses a secret in live mode that can be guessed, without repeating it", () =>
    Effect.gen(function* () {
      const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "ab".repeat(32) }
      for (const secret of ["x", "hunter2hunter2h", "x".padEnd(20)]) {
        const complaint = yield* complaintAbout({ ...live, KYB_WEBHOOK_SECRET: secret })
        expect(complaint).toBe(
          "KYB_WEBHOOK_SECRET is not valid: live mode needs at least 16 characters; make it with: openssl rand -hex 32."
        )
      }
      expect(yield* complaintAbout({ ...live, KYB_WEBHOOK_SECRET: "hunter2hunter2hu" })).toBe("nothing")
      expect(yield* complaintAbout({ KYB_WEBHOOK_SECRET: "x" }), "in sandbox mode").toBe("nothing")
    })
  )

  it.effect("needs what signs KYB requests and callbacks only where a vendor decides", () =>
    Effect.gen(function* () {
      const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "ab".repeat(32) }
      expect(yield* complaintAbout(live)).toBe("nothing")
      expect(yield* complaintAbout({ ...live, KYB_PROVIDER: "webhook" })).toMatch(/^KYB_WEBHOOK_SECRET is missing/)
      const signed = { KYB_PROVIDER: "webhook", KYB_WEBHOOK_SECRET: "hunter2hunter2hu" }
      expect(yield* complaintAbout({ ...live, ...signed })).toBe("nothing")
      const plain = { ...signed, KYB_REQUEST_URL: "http://kyb.example/?key=hidden" }
      expect(yield* complaintAbout({ ...live, ...plain })).toBe(
        "KYB_REQUEST_URL is not valid: live mode needs an address that starts with https://."
      )
      expect(yield* complaintAbout(plain), "in sandbox mode").toBe("nothing")
      expect(yield* complaintAbout({ KYB_REQUEST_URL: "https://kyb.example" })).toMatch(
        /^KYB_WEBHOOK_SECRET is missing/
      )
      expect(yield* complaintAbout({ KYB_PROVIDER: "nobody" })).toMatch(/^KYB_PROVIDER/)
      expect(yield* complaintAbout({ KYB_APPROVALS: "3" })).toMatch(/^KYB_APPROVALS/)
    })
  )

  const signIn = {
    CONSOLE_CLIENT_ID: "console",
    JWT_ISSUER: "https://id.example/",
    JWT_AUDIENCE: "https://pay.example/api",
    JWT_JWKS_URL: "https://id.example/jwks"
  }

  it.effect("names settings of the sign-in to the console that contradict each other", () =>
    Effect.gen(function* () {
      const { JWT_JWKS_URL: _, ...withoutKeys } = signIn
      const contradictions: ReadonlyArray<readonly [Variables, RegExp]> = [
        [{ CONSOLE_SCOPES: "openid" }, /^CONSOLE_CLIENT_ID is missing: CONSOLE_SCOPES is used with it only/],
        [{ CONSOLE_TOKEN_ORIGIN: "https://a.example" }, /^CONSOLE_CLIENT_ID is missing: CONSOLE_TOKEN_ORIGIN/],
        [{ CONSOLE_CLIENT_ID: "console" }, /^JWT_JWKS_URL is missing/],
        [withoutKeys, /^JWT_JWKS_URL is missing/],
        [{ ...signIn, JWT_ISSUER: "id.example" }, /^JWT_ISSUER is not valid: CONSOLE_CLIENT_ID needs an address/],
        [{ ...signIn, CONSOLE_SCOPES: "email profile" }, /^CONSOLE_SCOPES is not valid: expected openid/],
        [
          { ...signIn, JWT_AUDIENCE: "corridor", CONSOLE_AUDIENCE_PARAMETER: "resource" },
          /^CONSOLE_AUDIENCE_PARAMETER is not valid: resource needs a JWT_AUDIENCE that is an address/
        ],
        [{ ...signIn, CONSOLE_AUDIENCE_PARAMETER: "aud" }, /^CONSOLE_AUDIENCE_PARAMETER is not valid: expected one of/],
        [
          { ...signIn, JWT_ISSUER: "http://id.example", CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "ab".repeat(32) },
          /^JWT_ISSUER is not valid: CONSOLE_CLIENT_ID needs an address that starts with https:\/\/\./
        ]
      ]
      for (const [variables, expected] of contradictions) expect(yield* complaintAbout(variables)).toMatch(expected)
      expect(yield* complaintAbout(signIn)).toBe("nothing")
      expect(yield* complaintAbout({ ...signIn, JWT_ISSUER: "http://127.0.0.1:9000" })).toBe("nothing")
    })
  )

  it.effect("asks the identity provider for the audience as it is given", () =>
    Effect.gen(function* () {
      const parameterWith = (variables: Variables) =>
        Effect.map(Effect.provide(Settings, testSettings({ ...signIn, ...variables })), ({ consoleSignIn }) =>
          Option.map(consoleSignIn, ({ audienceParameter, origins }) => [audienceParameter, ...origins])
        )
      expect(yield* parameterWith({})).toEqual(Option.some(["resource", "https://id.example"]))
      expect(yield* parameterWith({ JWT_AUDIENCE: "corridor" })).toEqual(
        Option.some(["audience", "https://id.example"])
      )
      expect(yield* parameterWith({ JWT_AUDIENCE: "console", CONSOLE_TOKEN_ORIGIN: "https://t.example/x" })).toEqual(
        Option.some(["none", "https://id.example", "https://t.example"])
      )
      expect(yield* parameterWith({ CONSOLE_AUDIENCE_PARAMETER: "audience" })).toEqual(
        Option.some(["audience", "https://id.example"])
      )
    })
  )

  it.effect("does not repeat a value that may hold a password", () =>
    Effect.gen(function* () {
      const complaint = yield* complaintAbout({
        DATABASE_URL: "mysql://user:hunter2@db.example/corridor",
        SMTP_URL: "hunter2"
      })
      expect(complaint).not.toMatch(/hunter2|mysql|db\.example/)
    })
  )

  it.effect("without them there are defaults", () =>
    Effect.gen(function* () {
      const { corsOrigins, notifyFrom, trustProxy } = yield* Settings
      expect([corsOrigins.size, trustProxy._tag, notifyFrom.address]).toEqual([0, "None", "no-reply@localhost"])
    }).pipe(Effect.provide(testSettings()))
  )
})

describe("NOTIFY_FROM", () => {
  it("is an address, with or without a name", () => {
    for (const [text, mailbox] of [
      ["pay@kilimo.example", { name: "", address: "pay@kilimo.example" }],
      [" Kilimo Pay <pay@kilimo.example> ", { name: "Kilimo Pay", address: "pay@kilimo.example" }],
      ["Corridor <no-reply@localhost>", { name: "Corridor", address: "no-reply@localhost" }]
    ] as const) {
      expect(parseMailbox(text)).toEqual(Either.right(mailbox))
    }
  })

  it("is nothing else", () => {
    for (const text of [
      "",
      "pay",
      "pay@",
      "<>",
      "A <b>",
      "A\r\nBcc: <pay@kilimo.example>",
      "a@b.example, c@d.example"
    ]) {
      expect(Either.isLeft(parseMailbox(text))).toBe(true)
    }
  })
})
