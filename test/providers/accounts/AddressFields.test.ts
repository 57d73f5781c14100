/** Credentials that are addresses: what is no address of a provider is refused when it is set. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { checkCredentials } from "../../../src/providers/accounts/AccountCredentials.ts"
import { thirdPartyNamed } from "../../../src/providers/accounts/ThirdParties.ts"

const given = { api_key: "AQE", merchant_account: "Merchant", webhook_secret: "00".repeat(32) }

describe("Addresses among the credentials", () => {
  for (const field of ["transfers_base_url", "management_base_url"] as const) {
    for (const [mode, address] of [
      ["sandbox", "file:///etc/passwd"],
      ["sandbox", "nowhere"],
      ["live", "http://balanceplatform-api-live.adyen.com/btl/v4"]
    ] as const) {
      it(`${field} is not ${address} in ${mode} mode`, () => {
        const adyen = thirdPartyNamed("adyen")!
        expect(Either.isLeft(checkCredentials(adyen, { ...given, [field]: address }, mode))).toBe(true)
      })
    }
  }
})
