/** Words that stand before a noun; what follows one is prose, not a name or a command. */
export const article = '(?:the|a|an|my|our|your|this|that|these|some|all|its?)';
