/** The method of a request, in its colour. */
export const Method = ({ of }: { readonly of: string }) => <span class={`method ${of.toLowerCase()}`}>{of}</span>
