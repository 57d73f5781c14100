/** Whoever stands higher may use what stands lower, never the other way round; the entry points use everything. */
const wings = [
  ["app", "cli"],
  ["hosted"],
  ["treasury"],
  ["payments"],
  ["money"],
  ["providers"],
  ["people"],
  ["webhooks"],
  ["platform"],
  ["contract"],
  ["domain"]
]

/** Beside the house, for other programs and for the browser: each stands on those after it, and on the contract. */
const beside = ["console", "client"]

const restricted = (wing, names, message) => {
  const patterns = [{ regex: `^(\\.\\./)+(${names.join("|")}|main\\.ts)(/|$)`, message }]
  return { files: [`src/${wing}/**/*.{ts,tsx}`], rules: { "no-restricted-imports": ["error", { patterns }] } }
}

const house = wings.flat().slice(0, -2)

const standingBeside = beside.map((wing, at) =>
  restricted(wing, [...house, ...beside.slice(0, at)], `src/${wing} stands on the contract, not on what implements it.`)
)

const arrowsDown = wings.slice(1).map(([wing], at) => {
  const above = [...wings.slice(0, at + 1).flat(), ...beside]
  return restricted(wing, above, `src/${wing} stands below it: hand down what it needs, or move it.`)
})

export default {
  plugins: ["typescript", "oxc"],
  jsPlugins: ["./lint/plugin.mjs"],
  categories: { correctness: "error" },
  options: { reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist/**", "coverage/**"],
  rules: {
    "no-empty": "error",
    "no-console": "error",
    eqeqeq: "error",
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }]
  },
  overrides: [
    {
      files: ["src/**/*.{ts,tsx}", "migrations/**/*.ts"],
      rules: { "corridor/replayable": "error", "corridor/no-lost-error": "error", "corridor/no-float": "error" }
    },
    { files: ["src/console/**/*.{ts,tsx}"], rules: { "corridor/replayable": "off", "no-console": "off" } },
    ...arrowsDown,
    ...standingBeside
  ]
}
