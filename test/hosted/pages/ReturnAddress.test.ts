import { describe, expect, it } from "vitest"
import { paymentStatuses } from "../../../src/domain/PaymentStatus.ts"
import { returnAddress } from "../../../src/hosted/pages/CheckoutPage.ts"
import { idFrom } from "../../support/AnyId.ts"

const payment_id = idFrom("0190a1b2-c3d4-7000-8000-000000000001")
const payment = { payment_id, client_reference: null, status: "completed" as const }
const done = "status=completed&reference=0190a1b2-c3d4-7000-8000"

describe("the way back", () => {
  it.each([
    ["https://shop.example", `https://shop.example/?${done}`],
    ["https://shop.example/a", `https://shop.example/a?${done}`],
    ["https://shop.example/a?", `https://shop.example/a?${done}`],
    ["https://shop.example/a?b=1%202+3", `https://shop.example/a?b=1%202+3&${done}`],
    ["https://shop.example/a?b#c?d", `https://shop.example/a?b&${done}#c?d`],
    ["https://shop.example/a#c", `https://shop.example/a?${done}#c`],
    [
      "https://shop.example/?Status=open&x[status]=1&&e=%C3%A9%2B",
      `https://shop.example/?Status=open&x[status]=1&&e=%C3%A9%2B&${done}`
    ],
    ["https://shop.example/??status=open", `https://shop.example/??status=open&${done}`]
  ])("keeps what %s holds already", (return_url, address) => {
    expect(returnAddress({ ...payment, return_url })).toBe(address)
  })

  it.each([
    ["?status=open", `?${done}`],
    ["?a=1+2&status=completed&b=%20&reference=mine&status#c", `?a=1+2&b=%20&${done}#c`],
    ["?%73tatus=completed&re%66erence=mine&a", `?a&${done}`],
    ["?status&reference=", `?${done}`]
  ])("takes the place of what %s calls by the same names", (query, led) => {
    const address = returnAddress({ ...payment, return_url: `https://shop.example/${query}` })!
    expect(address).toBe(`https://shop.example/${led}`)
    expect(new URL(address).searchParams.getAll("status")).toEqual(["completed"])
  })

  it("says completed of what is completed, and failed of everything else", () => {
    const said = paymentStatuses.map((status) => {
      const address = returnAddress({ ...payment, status, return_url: "https://shop.example/" })
      return [status, new URL(address ?? "").searchParams.get("status")]
    })
    expect(said).toEqual(paymentStatuses.map((status) => [status, status === "completed" ? "completed" : "failed"]))
  })

  it("names the caller's own reference first", () => {
    const address = returnAddress({ ...payment, client_reference: "a&b=c #1", return_url: "https://shop.example/" })
    expect(new URL(address ?? "").searchParams.get("reference")).toBe("a&b=c #1")
    expect(returnAddress({ ...payment, return_url: null })).toBeNull()
  })
})
