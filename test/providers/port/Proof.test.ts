/** Proofs of callbacks: each is bound to an account, and only an account's own makes a statement. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { Report } from "../../../src/domain/Outcome.ts"
import {
  type CallbackEvent,
  Check,
  Hint,
  type NoProof,
  Proof,
  VerifiedReport
} from "../../../src/providers/port/Callback.ts"

const about = {
  key: "event",
  attempt: { reference: "ours", providerPaymentId: null },
  report: new Report({ state: "completed", reason: null, providerPaymentId: null, providerStatus: null })
}

/** Only the compiler reads it. */
const neverCalled = (
  ofAccount: Proof<"account">,
  ofVendor: Proof<"vendor">,
  ofEither: Proof
): ReadonlyArray<unknown> => {
  const stated = new VerifiedReport({ ...about, proof: ofAccount })
  // @ts-expect-error A key that serves all of a vendor's customers proves no account.
  const foreign = new VerifiedReport({ ...about, proof: ofVendor })
  // @ts-expect-error Nor does one of which that is not known.
  const unclear = new VerifiedReport({ ...about, proof: ofEither })
  // @ts-expect-error Nothing is stated without a proof.
  const bare = new VerifiedReport(about)
  // @ts-expect-error A signature by a public key is the vendor's.
  const signed: Check<"account"> = Check.signed("sha256", Buffer.of(), "", Buffer.of())
  // @ts-expect-error Nor is a callback that the vendor confirmed to have sent.
  const confirmed: Check<"account"> = Check.confirmed("SUCCESS", "SUCCESS")
  // @ts-expect-error One of several that are not all of the account proves no account.
  const mixed: Check<"account"> = Check.any([Check.same("a", "a"), Check.confirmed("a", "a")])
  // @ts-expect-error The maker of a proof cannot choose what its check is bound to.
  const chosen: Either.Either<Proof<"account">, NoProof> = Proof.from(Check.confirmed("a", "a"), "")
  // @ts-expect-error A proof is not written down.
  const written: Proof<"account"> = { isChecked: true }
  return [stated, foreign, unclear, bare, signed, confirmed, mixed, chosen, written]
}

describe("a proof", () => {
  it("is bound to the account whose secret it was checked with", () => {
    expect(neverCalled).toBeTypeOf("function")
    const proof: Either.Either<Proof<"account">, NoProof> = Proof.from(Check.same("secret", "secret"), "no")
    const events: ReadonlyArray<CallbackEvent> = Either.match(proof, {
      onLeft: () => [new Hint({ attempt: about.attempt })],
      onRight: (one) => [new VerifiedReport({ ...about, proof: one })]
    })
    expect(events[0]?._tag).toBe("VerifiedReport")
    expect(Either.isLeft(Proof.from(Check.same("secret", "another"), "no"))).toBe(true)
  })

  it("of the vendor holds for no account, though it holds", () => {
    const proof: Either.Either<Proof<"vendor">, NoProof> = Proof.from(Check.confirmed("SUCCESS", "SUCCESS"), "no")
    expect(Either.isRight(proof)).toBe(true)
    expect(Either.isLeft(Proof.from(Check.confirmed("SUCCESS", "FAILURE"), "no"))).toBe(true)
  })

  it("is what the vendor shows to the account's own credentials, and nothing that it refuses", () => {
    expect(Either.isRight(Proof.lookedUp({ status: 200 }))).toBe(true)
    for (const status of [201, 204, 302, 401, 403, 404, 500]) {
      expect(Either.isLeft(Proof.lookedUp({ status })), `HTTP ${status}`).toBe(true)
    }
  })

  it("fails with every condition that does", () => {
    const failed: Check<"account"> = Check.same("a", "a").where(false)
    expect(Either.isLeft(Proof.from(failed, "no"))).toBe(true)
    expect(Either.isLeft(Proof.from(Check.every([]), "no"))).toBe(true)
  })
})
