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

const arrowsDown = wings.slice(1).map(([wing], at) => {
  const above = wings.slice(0, at + 1).flat()
  const message = `src/${wing} stands below it: hand down what it needs, or move it.`
  const patterns = [{ regex: `^(\\.\\./)+(${above.join("|")}|main\\.ts)(/|$)`, message }]
  return { files: [`src/${wing}/**/*.ts`], rules: { "no-restricted-imports": ["error", { patterns }] } }
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
      files: ["src/**/*.ts", "migrations/**/*.ts"],
      rules: { "corridor/replayable": "error", "corridor/no-lost-error": "error", "corridor/no-float": "error" }
    },
    ...arrowsDown
  ]
}
