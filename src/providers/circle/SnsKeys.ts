/** The certificates with which Amazon SNS signs, read from where a message says, as far as that place is allowed. */
import type { KeyObject } from "node:crypto"
import { Clock, Data, Duration, Effect, Option } from "effect"
import type { ProviderHttp } from "../client/ProviderHttp.ts"
import { allowedPlace, keyOfCertificate, type SnsMessage } from "./SnsMessage.ts"

/** Nobody can say now: it is neither a good signature nor a bad one. */
export class CertificateOutOfReach extends Data.TaggedError("CertificateOutOfReach")<{ readonly reason: string }> {}

export interface SnsKeys {
  /** None where the certificate is elsewhere than it may be, is none, or does not hold at this time. */
  readonly find: (message: SnsMessage) => Effect.Effect<Option.Option<KeyObject>, CertificateOutOfReach>
}

const certificatePath = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/

const MOST = 8
const tryAgainAfter = Duration.toMillis(Duration.seconds(5))

export const makeSnsKeys = (http: ProviderHttp, ownOrigin: string | undefined): SnsKeys => {
  const certificates = new Map<string, string>()
  let failedAt = Number.NEGATIVE_INFINITY

  const read = (origin: string, path: string, now: number) =>
    Effect.gen(function* () {
      const { status, text } = yield* http
        .call({ operation: "read signing certificate", method: "GET", origin, path })
        .pipe(Effect.mapError(({ reason }) => new CertificateOutOfReach({ reason })))
      if (status !== 200) return yield* new CertificateOutOfReach({ reason: `HTTP ${status}` })
      if (certificates.size >= MOST) certificates.clear()
      certificates.set(`${origin}${path}`, text)
      return text
    }).pipe(Effect.tapError(() => Effect.sync(() => (failedAt = now))))

  const turn = Effect.unsafeMakeSemaphore(1)
  return {
    find: ({ SigningCertURL }) =>
      Option.match(
        Option.filter(allowedPlace(SigningCertURL, ownOrigin), ({ path }) => certificatePath.test(path)),
        {
          onNone: () => Effect.succeedNone,
          onSome: ({ origin, path }) =>
            turn.withPermits(1)(
              Effect.gen(function* () {
                const now = yield* Clock.currentTimeMillis
                const known = certificates.get(`${origin}${path}`)
                if (known !== undefined) return keyOfCertificate(known, now)
                if (now - failedAt < tryAgainAfter) {
                  return yield* new CertificateOutOfReach({ reason: "asked just now" })
                }
                return keyOfCertificate(yield* read(origin, path, now), now)
              })
            )
        }
      )
  }
}
