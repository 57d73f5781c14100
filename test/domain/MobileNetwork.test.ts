import { Option } from "effect"
import { describe, expect, it } from "vitest"
import { countries, CountryCode } from "../../src/domain/Country.ts"
import { findNetwork, networksOfCountry } from "../../src/domain/MobileNetwork.ts"

const country = (text: string) => CountryCode.make(text)

describe("networksOfCountry", () => {
  it("lists name, code, country and currency", () => {
    expect(networksOfCountry(country("KE"))).toEqual([
      { name: "M-Pesa", code: "mpesa", country: "KE", currency: "KES" },
      { name: "Airtel Money", code: "airtel", country: "KE", currency: "KES" }
    ])
  })

  it("covers these countries and no other", () => {
    const covered = [...countries.keys()]
      .map((code) => [code, networksOfCountry(code).map((network) => `${network.code} ${network.name}`)] as const)
      .filter(([, networks]) => networks.length > 0)
    expect(Object.fromEntries(covered)).toEqual({
      CI: ["orange Orange Money", "wave Wave", "mtn MTN MoMo"],
      GH: ["mtn MTN MoMo", "telecel Telecel Cash", "airteltigo AirtelTigo Money"],
      KE: ["mpesa M-Pesa", "airtel Airtel Money"],
      RW: ["mtn MTN MoMo", "airtel Airtel Money"],
      SN: ["orange Orange Money", "wave Wave"],
      TZ: ["mpesa M-Pesa", "airtel Airtel Money", "tigo Tigo Pesa"],
      UG: ["mtn MTN MoMo", "airtel Airtel Money"],
      ZM: ["mtn MTN MoMo", "airtel Airtel Money", "zamtel Zamtel Money"]
    })
  })
})

describe("findNetwork", () => {
  it.each(["mpesa", "MPESA", "M-Pesa", "m-pesa", "M-PESA"])("finds %s", (text) => {
    expect(Option.map(findNetwork(country("KE"), text), (network) => network.code)).toEqual(Option.some("mpesa"))
  })

  it.each([
    ["KE", "mtn"],
    ["NG", "mtn"],
    ["KE", ""],
    ["KE", "pesa"]
  ])("finds in %s no network %j", (where, text) => {
    expect(findNetwork(country(where), text)).toEqual(Option.none())
  })
})
