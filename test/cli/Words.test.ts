/** The words of a command line: what they name, what they may have meant, and whom they talk to. */
import { Effect, Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { commandNames, descriptorAt } from "../../src/cli/commands/AllCommands.ts"
import { asHelp, commandPath, unknownCommand, nearest } from "../../src/cli/shared/CommandLine.ts"
import { extractTarget, targetOf } from "../../src/cli/shared/CommandTarget.ts"

const complaint = (...args: ReadonlyArray<string>) => Option.getOrUndefined(unknownCommand(commandNames, args))

describe("a command", () => {
  it("is found at every level", () => {
    expect(commandPath(commandNames, ["keys", "rotate", "ID", "--json"])).toEqual(["keys", "rotate"])
    expect(commandPath(commandNames, ["providers", "credentials", "set", "ID"])).toEqual([
      "providers",
      "credentials",
      "set"
    ])
    expect(commandPath(commandNames, ["doctor", "--json"])).toEqual(["doctor"])
    expect(commandPath(commandNames, [])).toEqual([])
  })

  it("may be asked about with help before it", () => {
    expect(asHelp(["help", "keys", "create"])).toEqual(["keys", "create", "--help"])
    expect(asHelp(["help"])).toEqual(["--help"])
    expect(asHelp(["keys", "list"])).toEqual(["keys", "list"])
  })

  it.each([
    [["kyes"], 'Did you mean "corridor keys"?'],
    [["pay"], 'Did you mean "corridor payments"?'],
    [["keys", "creat"], 'Did you mean "corridor keys create"?'],
    [["freeze"], 'Did you mean "corridor accounts freeze"?'],
    [["providers", "credentials", "get"], 'Did you mean "corridor providers credentials set"?'],
    [["keys", "--json"], '"corridor keys" needs one of its commands after it: create, list, revoke, rotate.']
  ])("%s is answered with what was meant", (args, meant) => expect(complaint(...args)).toContain(meant))

  it("is not guessed where nothing is near", () => {
    expect(complaint("xyzzy")).not.toContain("Did you mean")
    expect(complaint("keys", "list")).toBeUndefined()
    expect(complaint("keys")).toBeUndefined()
    expect(complaint("keys", "--help")).toBeUndefined()
  })

  it("has a description at the end of every path", () => {
    for (const [path, under] of commandNames) {
      for (const name of under) {
        const words = [path, name].join(" ").trim().split(" ")
        expect(Option.isSome(descriptorAt(words)), words.join(" ")).toBe(true)
      }
    }
    expect(Option.isNone(descriptorAt(["keys", "none"]))).toBe(true)
  })
})

describe("a near word", () => {
  it.each([
    ["payment.complete", ["payment.completed", "payment.failed"], "payment.completed"],
    ["lsit", ["list", "show"], "list"],
    ["completely different", ["list", "show"], undefined],
    ["", ["list"], undefined]
  ])("of %j among %j is %s", (given, known, meant) => expect(Option.getOrUndefined(nearest(given, known))).toBe(meant))
})

const taken = (...words: ReadonlyArray<string>) => Either.getOrThrow(extractTarget(words))
const serverOf = (words: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  Effect.runSync(Effect.either(targetOf(taken(...words).typed, environment).server))
const refusal = (...given: Parameters<typeof serverOf>) => {
  const server = serverOf(...given)
  return server._tag === "Left" ? server.left.message : "none"
}

describe("the server that is talked to", () => {
  it("is taken out of the line, wherever it stands", () => {
    const { args, typed } = taken("payments", "--url=https://a.example/v1/", "list", "--token", "jwt", "--json")
    expect(args).toEqual(["payments", "list", "--json"])
    expect(typed).toEqual({ url: "https://a.example/v1/", token: "jwt" })
    expect(serverOf(["--url", "localhost:3000", "--api-key", "k"])).toEqual(
      Either.right(Option.some({ url: "http://localhost:3000", credential: { apiKey: "k" } }))
    )
  })

  it("is what the environment says where nothing is typed", () => {
    const environment = { CORRIDOR_URL: "https://a.example", CORRIDOR_API_KEY: "env" }
    expect(serverOf([], environment)).toEqual(
      Either.right(Option.some({ url: "https://a.example", credential: { apiKey: "env" } }))
    )
    expect(serverOf(["--url", "https://b.example", "--token", "typed"], environment)).toEqual(
      Either.right(Option.some({ url: "https://b.example", credential: { token: "typed" } }))
    )
  })

  it("is none without an address, even with a key in the environment", () => {
    expect(serverOf([], { CORRIDOR_API_KEY: "k", CORRIDOR_URL: "" })).toEqual(Either.right(Option.none()))
  })

  it("is refused with what is missing", () => {
    expect(refusal(["--url", "https://a.example"])).toMatch(/as whom to talk to https:\/\/a\.example: --api-key/)
    expect(refusal(["--token", "x"])).toMatch(/needs a server/)
    expect(refusal(["--url", "https://a.example", "--api-key", "k", "--token", "t"])).toMatch(/not both/)
    expect(refusal(["--url", "http://", "--api-key", "k"])).toMatch(/not the address of a server/)
    const at = ["--url", "https://a.example"]
    for (const [spoiled, wrong] of [
      ["ck_test_secret\n", "a line break (character 15 of 15)"],
      ["ck_test_sécret", "a character that is not ASCII (character 10 of 14)"],
      ["ck_test_ключ", "a character that is not ASCII (character 9 of 12)"],
      ["ck_test secret", "a space (character 8 of 14)"],
      ["ck_test\u0007", "a control character (character 8 of 8)"]
    ] as const) {
      const sentence = (name: string, kind: string) =>
        `${name} holds ${wrong}, which no ${kind} has. Copy it again, without what stands around it.`
      expect(refusal([...at, "--api-key", spoiled])).toBe(sentence("--api-key", "API key"))
      expect(refusal([...at, "--token", spoiled])).toBe(sentence("--token", "token"))
      expect(refusal(at, { CORRIDOR_API_KEY: spoiled })).toBe(sentence("CORRIDOR_API_KEY", "API key"))
      expect(refusal(at, { CORRIDOR_TOKEN: spoiled })).toBe(sentence("CORRIDOR_TOKEN", "token"))
    }
    for (const words of [["--url"], ["--token="], ["--url", "a", "--url", "b"]]) {
      expect(Either.isLeft(extractTarget(words)), words.join(" ")).toBe(true)
    }
  })
})
