/** Command lines: the command and the server that they name, wrong words, and completions for shells. */
import { spawnSync } from "node:child_process"
import { Effect, Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { commands } from "../../src/cli/Run.ts"
import { parseInput, nearest } from "../../src/cli/shared/CommandParser.ts"
import { asHelp, commandPath, completionScripts, namesUnder, unknownCommand } from "../../src/cli/shared/CommandLine.ts"
import { extractTarget, targetOf } from "../../src/cli/shared/CommandTarget.ts"
import { paymentMethods, providerNames } from "../../src/domain/Corridor.ts"
import { paymentStatuses } from "../../src/domain/PaymentStatus.ts"
import { CLI, cliIn } from "./Cli.ts"

const offered = async (...words: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await cliIn({})("--complete", ...words)
  expect([code, stderr]).toEqual([0, ""])
  return stdout.split("\n").filter((line) => line !== "")
}

const parsed = (path: string, words: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.either(parseInput(commands.all.find((command) => command.path === path)!.parameters, words)))

describe("completions", () => {
  it.each<[ReadonlyArray<string>, ReadonlyArray<string>]>([
    [["pay"], ["payments"]],
    [
      ["payments", ""],
      ["list", "refund", "resolve", "show"]
    ],
    [["providers", "credentials", ""], ["set"]],
    [["payments", "list", "--st"], ["--status"]],
    [["payments", "list", "--status", ""], paymentStatuses],
    [
      ["payments", "list", "--status", "c"],
      ["confirmed", "completed", "canceled"]
    ],
    [["payments", "list", "--status=ref"], ["--status=refunded"]],
    [["payments", "list", "--status", "=", "ref"], ["refunded"]],
    [["payments", "list", "--status", "failed", "--st"], []],
    [["orgs", "set", "--feature", "escrow", "--feat"], ["--feature"]],
    [["--url", "http://127.0.0.1:1", "fees", "set", "--method", ""], paymentMethods],
    [
      ["keys", "create", "--role", ""],
      ["member", "staff", "org-admin"]
    ],
    [["providers", "add", ""], providerNames],
    [["payments", "show", ""], []],
    [
      ["queue", "--json", ""],
      ["--org", "--url", "--api-key", "--token", "--help"]
    ],
    [["open", "d"], ["docs"]],
    [
      ["trigger", "virtual_account."],
      ["virtual_account.deposit", "virtual_account.withdrawal", "virtual_account.frozen", "virtual_account.unfrozen"]
    ],
    [["trigger", "kyb."], []],
    [["payments", "list", "--reference", ""], []],
    [
      ["--completions", ""],
      ["bash", "zsh", "fish"]
    ],
    [["nothing", ""], []]
  ])("after %j are %j", async (words, expected) => expect(await offered(...words)).toEqual(expected))

  it("offer every command, and every option of each", async () => {
    expect(await offered("")).toEqual(namesUnder(commands, []))
    for (const { path } of commands.all) {
      const options = await offered(...path.split(" "), "--")
      expect(options, path).toEqual(expect.arrayContaining(["--json", "--url", "--api-key", "--token", "--help"]))
      expect(new Set(options).size, path).toBe(options.length)
    }
  })

  it("are offered by the script of a real shell", () => {
    const script = `corridor() { '${process.execPath}' '${CLI}' "$@"; }
${completionScripts.bash}
COMP_WORDS=(corridor payments list --status = comp) COMP_CWORD=5
_corridor; echo "\${COMPREPLY[*]}"; complete -p corridor`
    const { status, stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8", timeout: 60_000 })
    expect([status, stdout]).toEqual([0, "completed\ncomplete -o default -F _corridor corridor\n"])
  })
})

describe("the words after a command", () => {
  it.each([
    ["payments list", ["--status", "complete"], /^--status: expected one of initiated, .*\. Did you mean completed\?$/],
    ["payments list", ["--status=done"], /^--status: expected one of initiated, [^?]*; done is none of them\.$/],
    ["payments list", ["--statsu", "failed"], /^--statsu is not an option here; .* Did you mean --status\?$/],
    ["payments list", ["--status"], /^--status needs a value after it\.$/],
    ["payments show", ["--nope"], /^--nope is not an option here; there are: --json, --url, .*\.$/],
    ["payments refund", ["--reason", "--", "ID"], /^--reason needs a value after it\.$/],
    ["payments resolve", ["ID", "--as", "done"], /^--as: expected one of completed, failed; done is none of them\.$/],
    [
      "keys create",
      ["--org", "ORG", "--name", "n", "--role", "admin"],
      /^--role: expected one of member, staff, org-admin; admin .*\.$/
    ],
    [
      "providers add",
      ["strip", "--country", "KE", "--method", "card", "--direction", "inbound"],
      /^PROVIDER: expected one of manual, .* Did you mean stripe\?$/
    ],
    ["orgs set", ["ORG", "--kyb-status", ""], /^--kyb-status: expected one of not_started, .*; an empty text is none/],
    ["sandbox reset", ["--yes=maybe"], /^--yes: expected one of true, false; maybe is none of them\.$/],
    ["queue", ["--json", "--json"], /^--json stands there twice\.$/],
    ["queue", ["--org="], /^--org needs a value after it\.$/],
    ["queue", ["extra"], /^extra is one word too many\.$/],
    ["payments list", [""], /^an empty text is one word too many\.$/],
    ["rates set", ["USD"], /^TO is missing\.$/],
    ["keys create", ["--org", "ORG"], /^--name is missing\.$/]
  ])("%s %j are refused", async (command, words, sentence) =>
    expect(Option.getOrUndefined(Either.getLeft(await parsed(command, words)))).toMatch(sentence)
  )

  it.each([
    ["payments list", ["--status", "failed", "--json"], { status: Option.some("failed"), limit: "20", json: true }],
    ["payments refund", ["ID", "--reason", "--status is wrong", "--amount", "-5"], { amount: Option.some("-5") }],
    ["payments show", ["--", "--strange"], { id: "--strange", json: false }],
    ["payments show", ["--json", "1"], { id: "1", json: true }],
    ["payments show", ["--json", "--", "--json"], { id: "--json", json: true }],
    ["rates set", ["USD", "KES", "--json", "1"], { rate: "1", json: true }],
    ["payments refund", ["ID", "--reason", "--ref=17"], { reason: "--ref=17" }],
    ["payments refund", ["ID", "--reason=--ref=17"], { reason: "--ref=17" }],
    ["providers enable", ["--json=false", "anything"], { which: "anything", json: false }],
    ["orgs set", ["ORG", "--feature=escrow", "--feature", "escrow"], { feature: ["escrow", "escrow"] }],
    ["listen", ["--forward-to", "a", "--events", "a, b", "--events=c"], { events: ["a", "b", "c"] }]
  ])("%s %j are read", async (command, words, input) =>
    expect(Either.getOrThrow(await parsed(command, words))).toMatchObject(input)
  )

  it.each([
    [
      ["webhooks", "create", "URL", "--org", "ORG", "--events", "payment.completed,,a"],
      /--events: an empty text is no/
    ],
    [["webhooks", "create", "URL", "--org", "ORG", "--events", ","], /--events: an empty text is no type of event\./],
    [
      ["webhooks", "create", "URL", "--org", "ORG", "--events", "payment.don"],
      /payment\.don is no type of event\. Did/
    ],
    [["listen", "--forward-to", "localhost:1", "--events", "a,,b"], /--events: a is no type of event\./],
    [["payments", "list", "--reference", ""], /--reference must not be empty\.$/m],
    [["payments", "show", ""], /corridor: ID must not be empty\.$/m],
    [["keys", "create", "--org", "ORG", "--name", ""], /--name must not be empty\.$/m]
  ])("%j are refused in plain words", async (words, sentence) => {
    const { code, stderr } = await cliIn({})(...words)
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toMatch(/Expected|undefined/)
    expect(code).toBe(1)
  })

  it("are refused with a reference to the help, before anything is read", async () => {
    const { code, stderr } = await cliIn({})("payments", "list", "--status", "complete")
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Did you mean completed\? See: corridor payments list --help$/m)
    ])
    expect((await cliIn({})("--completions", "tcsh")).stderr).toMatch(/--completions: expected one of bash, zsh, fish;/)
  })
})

const complaint = (...args: ReadonlyArray<string>) => Option.getOrUndefined(unknownCommand(commands, args))

describe("a command", () => {
  it("is found at every level", () => {
    expect(commandPath(commands, ["keys", "rotate", "ID", "--json"])).toEqual(["keys", "rotate"])
    expect(commandPath(commands, ["providers", "credentials", "set", "ID"])).toEqual([
      "providers",
      "credentials",
      "set"
    ])
    expect(commandPath(commands, ["doctor", "--json"])).toEqual(["doctor"])
    expect(commandPath(commands, [])).toEqual([])
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

  it("is in a group with a description", () => {
    for (const { path } of commands.all) {
      const group = path.split(" ").slice(0, -1).join(" ")
      expect(commands.groups[group], path).toBeDefined()
    }
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
