// options: -enable-link-options
// refused: needs '-create-library'
