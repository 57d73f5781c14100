/** Checks of `corridor doctor` about callbacks: their secrets, and whether providers reach their addresses. */
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Either, Option, Schema } from "effect"
import { credentialsTestTimeout } from "../../domain/policies/ProviderPolicies.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import { rowsAs, tableExists } from "../../platform/database/Query.ts"
import { registeredSecret } from "../../providers/accounts/ProviderAccounts.ts"
import type { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { thirdParties } from "../../providers/accounts/ThirdParties.ts"
import { checkAddress, resolveChecked } from "../../webhooks/ssrf/EndpointUrl.ts"
import { type Check, fail, ok, warn } from "./MachineChecks.ts"

type Values = Pick<Settings["Type"], "publicUrl">

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/
const PRIVATE_NAME = /^[^.]+$|\.(local|localhost|internal|lan|home\.arpa)$/

/** A value of deploy/corridor.env.example that was not replaced. */
export const isExample = (text: string): boolean => /(^|[.@/])example\.com\b|:PASSWORD@/.test(text)

/** Why providers and payers cannot reach the service there; nothing where they can. */
const unreachableBecause = (publicUrl: string): string | undefined => {
  const { hostname, protocol } = new URL(publicUrl)
  const address = hostname.replace(/^\[|\]$/g, "")
  const isPrivate =
    isIP(address) === 0 ? PRIVATE_NAME.test(hostname) : Either.isLeft(checkAddress(address, "live", "https:"))
  if (isExample(hostname)) return "is an example"
  if (LOOPBACK.test(hostname) || isPrivate) return "is not on the public internet"
  return protocol === "https:" ? undefined : "is not encrypted"
}

export const publicAddress = ({ publicUrl }: Values): Check => {
  const why = unreachableBecause(publicUrl)
  return why === undefined
    ? ok("Public address", publicUrl)
    : fail(
        "Public address",
        `${publicUrl} ${why}, so providers and payers cannot reach it: set PUBLIC_URL to an https:// address.`
      )
}

/** Third parties with credentials of the platform. */
export const configured = ({ parties }: ProviderSettings["Type"]) =>
  thirdParties.filter(({ name }) => Option.isSome(parties.get(name)?.platform ?? Option.none()))

const names = rowsAs(Schema.Struct({ name: Schema.String }))

/** Secrets of callbacks that neither a setting nor a registration gave. */
export const callbackSecrets = (settings: ProviderSettings["Type"]) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const stored = (yield* tableExists("secrets")) ? yield* Effect.flatMap(sql`select name from secrets`, names) : []
    const missing = configured(settings).flatMap(({ fields, name, setup: { callbacks, registers }, title }) => {
      const given = Option.getOrElse(settings.parties.get(name)!.platform, () => ({}))
      const isRegistered = stored.some((one) => one.name === registeredSecret(name))
      const isGiven = (field: string) => Object.hasOwn(given, field)
      const { alsoSecret, secret } = callbacks ?? {}
      const setup = registers === undefined ? "" : ` ("corridor providers setup ${name}")`
      return [
        ...(secret === undefined || isGiven(secret) || isRegistered
          ? []
          : [`${fields[secret]!.env} of ${title}${setup}`]),
        ...(alsoSecret === undefined || !isGiven(alsoSecret.neededWith) || isGiven(alsoSecret.field)
          ? []
          : [`${fields[alsoSecret.field]!.env} of ${title}`])
      ]
    })
    return missing.length === 0
      ? ok("Callback secrets", "every provider with credentials has what its callbacks are verified with")
      : warn("Callback secrets", `missing, so callbacks are refused and payments only polled: ${missing.join(", ")}.`)
  })

/** Asks a callback address as providers do that probe it; nothing is called back. Left: what is wrong with the answer. */
export const askCallbackAddress = (address: string): Effect.Effect<Either.Either<void, string>> =>
  Effect.async<Either.Either<void, string>>((resume) => {
    const id = `corridor-doctor-${process.pid}`
    const request = address.startsWith("https:") ? httpsRequest : httpRequest
    const timeout = Duration.toMillis(credentialsTestTimeout)
    const asked = request(address, { method: "HEAD", timeout, agent: false, headers: { "x-request-id": id } })
    const done = (wrong: string | undefined) =>
      resume(Effect.succeed(wrong === undefined ? Either.void : Either.left(wrong)))
    asked.on("response", ({ headers, statusCode }) => {
      // The service repeats the id of a request; a proxy in front of it may answer by itself.
      if (headers["x-request-id"] !== id) done(`is answered with HTTP ${statusCode}, and not by this service`)
      else if (statusCode === 404) done("is answered by a server without credentials of this provider")
      else done(undefined)
    })
    asked.on("timeout", () => asked.destroy(new Error("no answer in time")))
    asked.on("error", (error: NodeJS.ErrnoException) => done(`does not answer (${error.code ?? error.message})`))
    asked.end()
    return Effect.sync(() => asked.destroy())
  })

/** Callback addresses of providers with credentials, each asked through the public address. */
export const callbackAddresses = (
  { publicUrl }: Values,
  settings: ProviderSettings["Type"],
  ask = askCallbackAddress
): Effect.Effect<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const name = "Callback addresses"
    const addresses = configured(settings).map((party) => `${publicUrl}/callbacks/${party.name}`)
    if (addresses.length === 0) return []
    const why = unreachableBecause(publicUrl)
    if (why !== undefined) {
      return [fail(name, `${addresses.join(", ")}: PUBLIC_URL ${why}, so no provider can call back.`)]
    }
    const resolved = yield* Effect.either(resolveChecked(publicUrl, "live"))
    if (Either.isLeft(resolved)) {
      return [
        fail(name, `${addresses.join(", ")}: PUBLIC_URL: ${resolved.left.message}, so no provider can call back.`)
      ]
    }
    const asked = yield* Effect.forEach(
      addresses,
      (address) => Effect.map(ask(address), (answer) => ({ address, answer })),
      { concurrency: "unbounded" }
    )
    const wrong = asked.flatMap(({ address, answer }) => (Either.isLeft(answer) ? [`${address} ${answer.left}`] : []))
    // Warns only: the server may not run yet, or a firewall may keep this machine from its public address.
    return [
      wrong.length === 0
        ? ok(name, `${addresses.join(", ")} ${addresses.length === 1 ? "answers" : "answer"}`)
        : warn(name, `${wrong.join("; ")}. Start the server, or mend the proxy at PUBLIC_URL.`)
    ]
  })
