/** What a shell is offered, and the words that are refused before a command does anything. */
import { spawnSync } from "node:child_process"
import { Option } from "effect"
import { describe, expect, it } from "vitest"
import { commandNames, descriptorAt } from "../../src/cli/commands/AllCommands.ts"
import { completionScripts, usageOf, usageProblem } from "../../src/cli/shared/CommandLine.ts"
import { paymentMethods, providerNames } from "../../src/domain/Corridor.ts"
import { paymentStatuses } from "../../src/domain/PaymentStatus.ts"
import { CLI, cliIn } from "./Cli.ts"

const offered = async (...words: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await cliIn({})("--complete", ...words)
  expect([code, stderr]).toEqual([0, ""])
  return stdout.split("\n").filter((line) => line !== "")
}

const leaves = Array.from(commandNames).flatMap(([path, under]) =>
  under.map((name) => `${path} ${name}`.trim()).filter((words) => (commandNames.get(words) ?? []).length === 0)
)

const usageAt = (words: string) => usageOf(Option.getOrThrow(descriptorAt(words.split(" "))))

describe("a shell is offered", () => {
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
  ])("after %j: %j", async (words, expected) => expect(await offered(...words)).toEqual(expected))

  it("every command, and every option of each", async () => {
    expect(await offered("")).toEqual(commandNames.get(""))
    for (const words of leaves) {
      const options = await offered(...words.split(" "), "--")
      expect(options, words).toEqual(expect.arrayContaining(["--json", "--url", "--api-key", "--token", "--help"]))
      expect(new Set(options).size, words).toBe(options.length)
    }
  })

  it("the same by the script of a real shell", () => {
    const script = `corridor() { '${process.execPath}' '${CLI}' "$@"; }
${completionScripts.bash}
COMP_WORDS=(corridor payments list --status = comp) COMP_CWORD=5
_corridor; echo "\${COMPREPLY[*]}"; complete -p corridor`
    const { status, stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8", timeout: 60_000 })
    expect([status, stdout]).toEqual([0, "completed\ncomplete -o default -F _corridor corridor\n"])
  })
})

describe("a word that cannot be meant", () => {
  it.each([
    ["payments list", ["--status", "complete"], /^--status: expected one of initiated, .*\. Did you mean completed\?$/],
    ["payments list", ["--status=done"], /^--status: expected one of initiated, [^?]*; done is none of them\.$/],
    ["payments list", ["--statsu", "failed"], /^--statsu is not an option here; .* Did you mean --status\?$/],
    ["payments list", ["--status"], /^--status needs a value after it\.$/],
    ["payments resolve", ["ID", "--as", "done"], /^--as: expected one of completed, failed; done is none of them\.$/],
    ["keys create", ["--role", "admin"], /^--role: expected one of member, staff, org-admin; admin .*\.$/],
    ["providers add", ["strip"], /^PROVIDER: expected one of manual, .* Did you mean stripe\?$/],
    ["orgs set", ["ORG", "--kyb-status", ""], /^--kyb-status: expected one of not_started, .*; an empty text is none/]
  ])("%s %j is refused", (command, words, sentence) =>
    expect(Option.getOrUndefined(usageProblem(usageAt(command), words))).toMatch(sentence)
  )

  it.each([
    ["payments list", ["--status", "failed", "--json"]],
    ["payments refund", ["ID", "--reason", "--status is wrong", "--amount", "-5"]],
    ["payments list", ["-h"]],
    ["payments show", ["--", "--strange"]],
    ["providers enable", ["anything"]]
  ])("%s %j is none", (command, words) => expect(usageProblem(usageAt(command), words)).toEqual(Option.none()))

  it("is refused with the command's help, before anything is read", async () => {
    const { code, stderr } = await cliIn({})("payments", "list", "--status", "complete")
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Did you mean completed\? See: corridor payments list --help$/m)
    ])
    expect((await cliIn({})("--completions", "tcsh")).stderr).toMatch(/--completions: expected one of bash, zsh, fish;/)
  })
})
