/** Spec §7: the header of an import file, in the order in which exports and templates have it. */
export const importHeader = ['Number', 'Description', 'Rate', 'Status', 'Country', 'Country Code'] as const
