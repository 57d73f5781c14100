interface Props {
  readonly name: string
  readonly tabs: ReadonlyArray<readonly [href: string, words: string, here: boolean]>
}

/** Pages beside each other: each has an address of its own. */
export const Tabs = ({ name, tabs }: Props) => (
  <nav class="tabs" aria-label={name}>
    {tabs.map(([href, words, here]) => (
      <a key={href} href={href} aria-current={here ? "page" : undefined}>
        {words}
      </a>
    ))}
  </nav>
)
